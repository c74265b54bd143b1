/** Documents about the code stay short and name files that exist. `documents.test.ts` has the documents for users. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

const repository = ["src", "scripts", "e2e", "docs"].flatMap(filesBelow).concat(readdirSync("."));

/** Without the API reference, which is generated. */
const documents = repository
  .filter((path) => /^[^/]+\.md$|^docs\/(?!api\/).*\.md$|^src\/.*README\.md$/.test(path))
  .filter((path) => !path.includes("/testing/"));

/** Documents about the code. Documents for users name files of the user's own project. */
const aboutCode = documents.filter((path) =>
  /^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^docs\/(contributing|internals)\/|^src\//.test(path),
);

/** The most lines and bytes of a document. */
const limits: readonly (readonly [documents: RegExp, lines: number, bytes: number])[] = [
  [/^ARCHITECTURE\.md$/, 300, 35_000],
  [/^docs\/internals\//, 150, 14_000],
  [/^src\/.*README\.md$/, 60, 7_000],
];

const read = (path: string) => readFileSync(path, "utf8");
const linesOf = (path: string): number => read(path).trimEnd().split("\n").length;
const withoutCodeBlocks = (text: string) => text.replace(/^```.*?^```/gms, "");

test("documents for developers stay short", () => {
  const tooLong = documents.flatMap((path) => {
    const [, lines = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY] =
      limits.find(([which]) => which.test(path)) ?? [];
    const found = { lines: linesOf(path), bytes: Buffer.byteLength(read(path)) };
    return found.lines > lines || found.bytes > bytes ? [{ path, ...found }] : [];
  });
  expect(tooLong).toEqual([]);
});

test("each page of docs/internals has a worked example, and ends with why and what was left out", () => {
  const pages = documents.filter((path) => path.startsWith("docs/internals/"));
  expect(pages.length).toBeGreaterThanOrEqual(10);
  const headings = (path: string) =>
    [...read(path).matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  for (const path of pages) {
    expect(headings(path), path).toContain("Worked example");
    expect(headings(path).slice(-2), path).toEqual(["Why", "Tried and left out"]);
  }
});

/** Folders of `src` that have files of their own or a README; a folder that has neither groups others. */
function sourceFolders(folder = "src"): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (folder !== "src" && entries.some((entry) => entry.isFile())) return [folder];
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => sourceFolders(join(folder, name)));
}

test("each folder of src has a README, and ARCHITECTURE.md links to it", () => {
  const folders = sourceFolders();
  expect(folders.length).toBeGreaterThan(20);
  const architecture = read("ARCHITECTURE.md");
  const missing = folders.filter(
    (folder) => !existsSync(`${folder}/README.md`) || !architecture.includes(`](${folder}/README.md)`),
  );
  expect(missing).toEqual([]);
});

const fileNames = new Set(repository.map((path) => basename(path)));

/**
 * The files and folders in backticks that do not exist. A path starts at the root of the repository, or in a folder's README at that
 * folder; a name without a folder is that of a file somewhere.
 */
function missingPaths(path: string, text: string): string[] {
  const named = [...withoutCodeBlocks(text).matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\/?)`/g)].map(
    ([, name = ""]) => name,
  );
  return named.filter((name) => {
    const isFile = /\.(?:tsx?|mjs|css|md)$/.test(name);
    if (!isFile && !/^(?:src|e2e|scripts|docs)\//.test(name)) return false;
    // `NAME` and `PAGE` stand for any name.
    if (/(?:^|\/)[A-Z]{4}(?:$|[/.])/.test(name)) return false;
    if (existsSync(name) || existsSync(join(dirname(path), name))) return false;
    return name.includes("/") || !fileNames.has(name);
  });
}

test("every file and folder that a document about the code names exists", () => {
  const missing = aboutCode.map((path) => [path, missingPaths(path, read(path))] as const);
  expect(missing.filter(([, found]) => found.length > 0)).toEqual([]);
  expect(missingPaths("SECURITY.md", "`src/none.ts`, `none.ts`, `src/core/base/`, `abort.ts`")).toEqual([
    "src/none.ts",
    "none.ts",
  ]);
});
