/** The declarations of the package's entries and of all that these mention, made from the sources file by file, with their comments. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { root } from "./subpaths.ts";

const sources = resolve(root, "src");

/** Path below `types`, ending in `.d.ts`, to text. */
export type Declarations = ReadonlyMap<string, string>;

/** Where the declarations of a source stand, below the package's folder `dist`. */
export function declarationPath(source: string): string {
  const path = relative(sources, resolve(root, source)).replaceAll("\\", "/");
  return `types/${path.replace(/\.tsx?$/, ".d.ts")}`;
}

/** @throws Error naming what has no declaration without type inference over files: it needs an explicit type. */
export function makeDeclarations(entries: readonly string[]): Declarations {
  const made = new Map<string, string>();
  const waiting = new Set(entries.map((path) => resolve(root, path)));
  for (const path of waiting) {
    const text = declarationOf(path);
    for (const [, specifier = ""] of text.matchAll(specifiers)) {
      if (specifier.startsWith(".")) waiting.add(resolve(dirname(path), specifier));
    }
    made.set(declarationPath(path), text.replaceAll(/((?:from |import\()"\.[^"]+)\.tsx?"/g, '$1.js"'));
  }
  return made;
}

const specifiers = /(?:from |import\(|^import )"([^"]+)"/gm;

function declarationOf(path: string): string {
  // A declaration written by hand stands for a script.
  if (!existsSync(path))
    throw new Error(`A declaration mentions ${relative(root, path)}, which is not there.`);
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, "utf8"), { stripInternal: true });
  if (errors.length === 0) return code;
  const problems = errors.map(({ message, codeframe }) => `${message}\n${codeframe ?? ""}`).join("\n");
  throw new Error(`No declarations for ${relative(root, path)}: ${problems}`);
}

/** Writes them below `folder`, the package's `dist`. */
export async function writeDeclarations(declarations: Declarations, folder: string): Promise<void> {
  for (const [path, text] of declarations) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
