import { describe, expect, test } from "vitest";
import { isPickedFolder } from "./picked-address.ts";
import { filesOfEntries, findModelInFolder } from "./picked-folder.ts";

const file = (path: string) => ({ path, file: new File([path], path.split("/").at(-1) ?? "") });
const pick = (...paths: string[]) => findModelInFolder(paths.map(file));

test.each([
  ["the folder itself", ["tiny/config.json", "tiny/onnx/model.onnx", "tiny/tokenizer.json"], "tiny"],
  [
    "one folder inside",
    ["models/README.md", "models/my llm/config.json", "models/my llm/onnx/model.onnx"],
    "my llm",
  ],
  [
    "a config further inside is not the model's",
    ["tiny/config.json", "tiny/onnx/model.onnx", "tiny/onnx/config.json"],
    "tiny",
  ],
])("%s", (_, paths, id) => {
  const found = pick(...paths);
  if (typeof found === "string") throw new Error(found);
  expect(found.reference).toEqual({
    id,
    url: expect.stringMatching(`^picked-folder:/${encodeURIComponent(id)}/[0-9a-z]+/$`),
    revision: null,
    dtype: { webgpu: "auto", wasm: "auto" },
  });
  expect(isPickedFolder(found.reference)).toBe(true);
  expect([...found.files.keys()]).toEqual(expect.arrayContaining(["config.json", "onnx/model.onnx"]));
});

test.each([
  [[], "There is no config.json in the folder."],
  [["photos/one.jpg"], "There is no config.json in photos."],
  [["models/a/config.json", "models/b/config.json"], "There are several models in models: a, b."],
])("%j is no model: %s", (paths, words) => {
  expect(pick(...paths)).toContain(words);
});

test("two folders of one name are two models, and one that did not change is one", () => {
  const addressOf = (text: string, lastModified: number) => {
    const config = new File([text], "config.json", { lastModified });
    const found = findModelInFolder([{ path: "tiny/config.json", file: config }]);
    return typeof found === "string" ? found : found.reference.url;
  };
  expect(addressOf("{}", 1)).toBe(addressOf("{}", 1));
  expect(addressOf("{}", 1)).not.toBe(addressOf("{ }", 1));
  expect(addressOf("{}", 1)).not.toBe(addressOf("{}", 2));
});

describe("what is dropped", () => {
  const fileEntry = (fullPath: string) =>
    ({
      isFile: true,
      fullPath,
      file: (done: (file: File) => void) => done(file(fullPath).file),
    }) as unknown as FileSystemEntry;
  /** Gives its entries two at a time, as browsers give them a hundred at a time. */
  const folderEntry = (fullPath: string, entries: FileSystemEntry[]) => {
    const createReader = () => {
      const left = [...entries];
      return { readEntries: (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 2)) };
    };
    return { isFile: false, fullPath, createReader } as unknown as FileSystemEntry;
  };

  test("is read with all folders in it", async () => {
    const onnx = folderEntry("/tiny/onnx", [fileEntry("/tiny/onnx/model.onnx")]);
    const names = ["config.json", "tokenizer.json", "tokenizer_config.json"];
    const dropped = folderEntry("/tiny", [...names.map((name) => fileEntry(`/tiny/${name}`)), onnx]);
    expect((await filesOfEntries([dropped])).map(({ path }) => path)).toEqual([
      ...names.map((name) => `tiny/${name}`),
      "tiny/onnx/model.onnx",
    ]);
  });

  test("is refused where it is a whole disk", async () => {
    const many = Array.from({ length: 2001 }, (_, index) => fileEntry(`/disk/${index}`));
    await expect(filesOfEntries([folderEntry("/disk", many)])).rejects.toThrow("more than 2000 files");
  });
});
