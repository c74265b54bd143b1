/** Models on this machine's disk: folders and the cache. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ModelFileError } from "../../runtime/engine/base/model-file-error.ts";
import { checkFileTree } from "../../runtime/engine/storage/file-tree.conformance.ts";
import { defaultCacheFolder } from "./disk-store.ts";
import { createDiskTree } from "./disk-tree.ts";
import { createFolderSource } from "./folder-source.ts";
import { modelOf } from "./model-of.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a model's folder", () => {
  const model = join(folder, "model");
  mkdirSync(join(model, "onnx"), { recursive: true });
  writeFileSync(join(model, "config.json"), "{}");
  writeFileSync(join(folder, "secret.txt"), "a secret");
  symlinkSync(join(model, "config.json"), join(model, "linked.json"));
  const source = createFolderSource(model);
  const binary = { kind: "binary", maxBytes: 100 } as const;

  test("is read, through links too, with progress", async () => {
    const seen: number[] = [];
    const read = await source.read("config.json", {
      ...binary,
      onProgress: ({ loadedBytes }) => seen.push(loadedBytes),
    });
    expect([...read]).toEqual([...Buffer.from("{}")]);
    expect(seen).toEqual([2]);
    expect(await source.read("linked.json", binary)).toHaveLength(2);
  });

  test.skipIf(process.platform === "win32")(
    "has regular files alone: a FIFO, a device or a folder is refused by its path",
    async () => {
      execFileSync("mkfifo", [join(model, "tokenizer.json")]);
      symlinkSync("/dev/zero", join(model, "device.json"));
      for (const [file, words] of [
        ["tokenizer.json", "tokenizer.json is a FIFO."],
        ["device.json", "/dev/zero is a device."],
        ["onnx", "onnx is a folder."],
      ] as const) {
        const refused = { name: "ModelFileError", message: expect.stringContaining(words) as string };
        await expect(source.read(file, binary)).rejects.toMatchObject(refused);
        await expect(source.open(file, binary)).rejects.toMatchObject(refused);
      }
    },
  );

  test("is opened without being read", async () => {
    const seen: number[] = [];
    const opened = await source.open("linked.json", {
      ...binary,
      onProgress: ({ loadedBytes }) => seen.push(loadedBytes),
    });
    expect([opened.size, await opened.slice(1).text(), ...seen]).toEqual([2, "}", 2]);
  });

  test.each(["../secret.txt", "onnx/../../secret.txt", "/etc/passwd", ".", ""])(
    "%s leads out of it and is refused",
    async (path) => {
      for (const ask of [source.read, source.open])
        await expect(ask(path, binary)).rejects.toThrow("is not a path inside a model's folder");
    },
  );

  test("a file that is not there, too large, or a folder is said to be", async () => {
    for (const ask of [source.read, source.open]) {
      const missing = await ask("x.json", binary).catch((error: unknown) => error);
      expect(missing).toBeInstanceOf(ModelFileError);
      expect(missing).toMatchObject({ status: 404, message: `x.json is not in ${model}. Check the folder.` });
      await expect(ask("config.json", { ...binary, maxBytes: 1 })).rejects.toThrow(
        "the limit for such a file is 1 B",
      );
      await expect(ask("onnx", binary)).rejects.toThrow(ModelFileError);
    }
  });

  test("is cancelled", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    for (const ask of [source.read, source.open])
      await expect(ask("config.json", { ...binary, signal })).rejects.toThrow("enough");
  });
});

describe("the cache", () => {
  test("lies where the system has such folders", () => {
    expect(defaultCacheFolder({ XDG_CACHE_HOME: "/c" }, "linux")).toBe("/c/midtoken/models");
    expect(defaultCacheFolder({ XDG_CACHE_HOME: "c" }, "linux")).toMatch(/\/\.cache\/midtoken\/models$/);
    expect(defaultCacheFolder({}, "darwin")).toMatch(/\/Library\/Caches\/midtoken\/models$/);
    expect(defaultCacheFolder({ LOCALAPPDATA: "/l" }, "win32")).toBe("/l/midtoken/models");
  });
});

test("the disk keeps files as it should", async () => {
  expect(await checkFileTree(createDiskTree(join(folder, "tree")))).toEqual([]);
  expect(readdirSync(join(folder, "tree"))).toEqual([]);
});

describe("a model by its name", () => {
  test("a folder, and what lies in it", async () => {
    writeFileSync(join(folder, "model/onnx/model_q4.onnx"), "");
    writeFileSync(join(folder, "model/onnx/model_int8.onnx"), "");
    const found = await modelOf(join(folder, "model"));
    expect(found).toMatchObject({ id: "model", dtype: { wasm: "auto" }, revision: null });
    expect(found.url).toBe(`file://${folder}/model/`);
    expect(await modelOf(join(folder, "model"), "q4")).toMatchObject({ dtype: { wasm: "q4" } });
  });

  test("an id of the hub, an address", async () => {
    const hub = { id: "owner/name", url: "https://huggingface.co/owner/name/resolve/main/" };
    expect(await modelOf("owner/name")).toMatchObject(hub);
    expect(await modelOf("https://example.org/m/x")).toMatchObject({
      id: "x",
      url: "https://example.org/m/x/",
    });
  });
});
