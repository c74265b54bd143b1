/** Checks that every implementation of a file tree must pass. */

import type { FileTree } from "./file-tree.ts";

const text = async (blob: Blob | null) => (blob ? blob.text() : null);
const bytes = (content: string) => new TextEncoder().encode(content);

/** Returns the failures as sentences. Needs no test runner, so that a browser can run the checks. */
export async function checkFileTree(tree: FileTree): Promise<readonly string[]> {
  const wrong: string[] = [];
  const is = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${what}: ${JSON.stringify(found)}`);
  };
  const names = async (path: string) => [...(await tree.list(path))].sort();
  is("nothing is there", [await tree.read("a/b/c"), await names("a"), await names("")], [null, [], []]);
  await tree.remove("a/b");
  await tree.write("a/b/000001", bytes("one"));
  await tree.write("a/b/file.json", bytes("{}"));
  await tree.write("a-b/x", bytes("x"));
  await Promise.all(["two", "two"].map((content) => tree.write("a/b/000001", bytes(content))));
  is("replaced", await text(await tree.read("a/b/000001")), "two");
  is("a folder is no file", [await tree.read("a/b"), await tree.read("a")], [null, null]);
  is("a file is no folder", [await tree.read("a-b/x/y"), await names("a-b/x")], [null, []]);
  is(
    "lists",
    [await names(""), await names("a"), await names("a/b")],
    [["a", "a-b"], ["b"], ["000001", "file.json"]],
  );
  const large = new Uint8Array(3_000_000).map((_, i) => (i * 31) & 255);
  await tree.write("a/large", large);
  const whole = new Blob([(await tree.read("a/b/000001")) as Blob, (await tree.read("a/large")) as Blob]);
  is(
    "files of one Blob, in slices",
    [...new Uint8Array(await whole.slice(2, 6).arrayBuffer())],
    [111, ...large.slice(0, 3)],
  );
  is("its size", whole.size, 3_000_003);
  await tree.remove("a/b/000001");
  is("removed", [await tree.read("a/b/000001"), await names("a/b")], [null, ["file.json"]]);
  await tree.remove("a");
  is("removed with its folder", [await names(""), await names("a")], [["a-b"], []]);
  await tree.remove("a-b");
  return wrong;
}
