/** The key file: its allowed contents and permissions, and errors that show no key. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseKeys, readKeyFile } from "./key-file.ts";
import { KeyRing } from "./key-ring.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const key = "sk-0123456789abcdef";
const other = "sk-fedcba9876543210";

test("keys, names and limits", () => {
  const text = `# key name limits\n\n${key} alice concurrent=2 rpm=60 tpm=20000\r\n  ${other}\nsk-00000000000000000 rpm=5\n`;
  expect(parseKeys(text, "keys.txt")).toMatchObject([
    { name: "alice", limits: { concurrent: 2, rpm: 60, tpm: 20_000 } },
    { name: "key-4", limits: { concurrent: 64, rpm: null, tpm: null } },
    { name: "key-5", limits: { concurrent: 64, rpm: 5, tpm: null } },
  ]);
});

test.each([
  ["", "has no key"],
  ["# only a comment", "has no key"],
  ["short", "line 1: the key has 5 characters"],
  [`${key}\n${key} again`, "line 2: this key is also in an earlier line"],
  [`${key} a\n${other} a`, 'line 2: the name "a" is also in an earlier line'],
  [`${key} a/b`, "line 1: the name may contain only"],
  [`${key} a rpm=0`, "rpm must be a whole number of at least 1"],
  [`${key} a rpm=1.5`, "after the name come only concurrent=N"],
  [`${key} a rpm=99999999999999999999`, "rpm must be a whole number of at least 1"],
  [`${key} a constructor=5`, "after the name come only concurrent=N"],
  [`${key} a __proto__=5`, "after the name come only concurrent=N"],
  [`${key} a b`, "after the name come only concurrent=N"],
  [`${key}é a`, "not ASCII"],
])("%j is refused, without the key in the words", (text, words) => {
  const read = (): unknown => parseKeys(text, "keys.txt");
  expect(read).toThrow(words);
  try {
    read();
  } catch (error) {
    expect((error as Error).message).not.toContain("0123456789");
  }
});

describe.skipIf(process.platform === "win32")("a file", () => {
  const file = (name: string, mode: number): string => {
    const path = join(folder, name);
    writeFileSync(path, `${key} alice\n`);
    chmodSync(path, mode);
    return path;
  };

  test.each([0o600, 0o400])("of its user alone is read", async (mode) => {
    expect(await readKeyFile(file(`own-${mode}`, mode))).toHaveLength(1);
  });

  test.each([0o644, 0o640, 0o604, 0o620, 0o602, 0o666])(
    "that others may read or write is refused",
    async (mode) => {
      const path = file(`others-${mode}`, mode);
      await expect(readKeyFile(path)).rejects.toThrow(`(mode ${mode.toString(8)}): run chmod 600 ${path}.`);
      symlinkSync(path, `${path}.link`);
      await expect(readKeyFile(`${path}.link`)).rejects.toThrow("chmod 600");
    },
  );

  test("that is a folder, a pipe, huge or not there is refused", async () => {
    await expect(readKeyFile(folder)).rejects.toThrow("is not a regular file");
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", ["-m", "600", pipe]);
    await expect(readKeyFile(pipe)).rejects.toThrow("is not a regular file");
    const huge = join(folder, "huge");
    writeFileSync(huge, "#".repeat(1_100_000), { mode: 0o600 });
    await expect(readKeyFile(huge)).rejects.toThrow("more than 1048576 bytes");
    await expect(readKeyFile(join(folder, "none"))).rejects.toThrow("cannot be read");
  });
});

describe("the header", () => {
  const ring = new KeyRing(parseKeys(`${key} alice\n${other} bob`, "keys.txt"), () => 0);

  test.each([
    [`Bearer ${key}`, "alice"],
    [`bearer  ${other}`, "bob"],
    [null, undefined],
    ["", undefined],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    [key, undefined],
    [`Basic ${key}`, undefined],
    [`Bearer ${key} x`, undefined],
    [`Bearer ${key}x`, undefined],
    [`Bearer ${key.slice(0, -1)}`, undefined],
    [`Bearer ${key.toUpperCase()}`, undefined],
    [`Bearer ${key}, Bearer ${other}`, undefined],
    ["Bearer alice", undefined],
    [`Bearer ${"a".repeat(2_000)}`, undefined],
    ["Bearer __proto__", undefined],
  ])("%j is of %s", (authorization, name) => {
    expect(ring.holderOf(authorization)?.name).toBe(name);
  });

  test("keys that are read again keep what they have used; those that are gone are refused", () => {
    const limited = new KeyRing(parseKeys(`${key} alice rpm=1\n${other} bob`, "keys.txt"), () => 0);
    limited.holderOf(`Bearer ${key}`)?.use.enter();
    limited.replace(parseKeys(`${key} anna rpm=1`, "keys.txt"));
    expect(limited.holderOf(`Bearer ${other}`)).toBeNull();
    const holder = limited.holderOf(`Bearer ${key}`);
    expect([holder?.name, holder?.use.enter().refusal?.status]).toEqual(["anna", 429]);
    limited.replace(parseKeys(`${key} anna rpm=2`, "keys.txt"));
    expect(limited.holderOf(`Bearer ${key}`)?.use.enter().refusal).toBeNull();
  });
});
