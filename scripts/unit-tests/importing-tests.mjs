/**
 * Finds the test files that import a file, directly or through other files, by the texts of the import statements. `vitest related`
 * finds the same files, but transforms every file of the repository first, which takes half a minute. As a program, prints the
 * test files that import the named file.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** `import { a } from "./a.ts"` and `export … from`, but not `import type`; `import "./a.ts"` and `import("./a.ts")`. */
const importedFile =
  /^(?:import|export)\s+(?!type\s)[^"'`;]*?\bfrom\s*"(\.[^"?]+)|\bimport\s*\(?\s*"(\.[^"?]+)/gm;

/** Full paths of the source files below a folder. */
function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = resolve(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** @returns paths of test files below `folders` that import `target`, relative to `root` and sorted. */
export function testsImporting(root, target, folders = ["src", "scripts", "e2e"]) {
  const importers = new Map();
  for (const path of folders.flatMap((folder) => sourcesBelow(resolve(root, folder)))) {
    for (const [, named, whole] of readFileSync(path, "utf8").matchAll(importedFile)) {
      const imported = resolve(dirname(path), named ?? whole);
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  const found = new Set([resolve(root, target)]);
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return [...found]
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => path.slice(resolve(root).length + 1).replaceAll("\\", "/"))
    .sort();
}

const [, program = "", target] = process.argv;
if (target !== undefined && resolve(program) === import.meta.filename)
  console.log(testsImporting(process.cwd(), target).join("\n"));
