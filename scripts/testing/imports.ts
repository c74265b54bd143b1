/** Source files below a folder and what they import, for the tests of imports. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Paths of all TypeScript files below a folder. */
export function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

export function isTestFile(path: string): boolean {
  return /\.(test|test-types|conformance)\.tsx?$|\/testing\//.test(path);
}

/** The files of the repository that a file imports, types included. */
export function importsOf(path: string, text: string): string[] {
  const code = text.replace(/`(?:\\.|[^`\\])*`/gs, "``");
  const specifiers = code.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)"(\.[^"?]+)"/gm);
  return [...specifiers].map(([, specifier = ""]) => join(path, "..", specifier));
}
