/**
 * The declarations of the package's entries and of everything that they mention, generated from the sources by the compiler, with
 * comments.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { root } from "./subpaths.ts";

const sources = resolve(root, "src");

/** Path below the package's folder `dist`, ending in `.d.ts` → text. */
export type Declarations = ReadonlyMap<string, string>;

/** The path of a source's declarations below `dist`. */
export function declarationPath(source: string): string {
  return `types/${belowSources(resolve(root, source)).replace(/\.tsx?$/, ".d.ts")}`;
}

const belowSources = (path: string): string => relative(sources, path).replaceAll("\\", "/");

/** @param entries paths from the repository's root @throws Error with the compiler's output if a source has an error */
export function makeDeclarations(entries: readonly string[]): Declarations {
  // Inside the repository, so that the compiler finds the types of packages.
  const cache = resolve(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "midtoken-types-"));
  try {
    compile(entries, folder);
    return collect(entries, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compile(entries: readonly string[], folder: string): void {
  const config = join(folder, "tsconfig.json");
  const options = {
    extends: resolve(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: sources,
      outDir: join(folder, "out"),
    },
    files: entries.map((path) => resolve(root, path)),
    // Modules that exist only as declarations.
    include: [resolve(sources, "**/*.d.ts")],
    exclude: [resolve(sources, "page")],
  };
  writeFileSync(config, JSON.stringify(options));
  try {
    execFileSync(process.execPath, [resolve(root, "node_modules/typescript/bin/tsc"), "-p", config], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    throw new Error(`There are no declarations: ${(error as { stdout?: string }).stdout ?? String(error)}`);
  }
}

const specifiers = /(?:\bfrom |\bimport\(|^import )"(\.[^"]+)"/gm;

/** The declarations that the entries need, with the names of scripts instead of sources. */
function collect(entries: readonly string[], folder: string): Declarations {
  const made = new Map<string, string>();
  const waiting = new Set(entries.map((path) => resolve(root, path)));
  for (const path of waiting) {
    const text = readFileSync(join(folder, "out", belowSources(path).replace(/\.tsx?$/, ".d.ts")), "utf8");
    for (const [, specifier = ""] of text.matchAll(specifiers))
      waiting.add(resolve(dirname(path), specifier));
    made.set(
      declarationPath(path),
      text.replaceAll(/((?:\bfrom |\bimport\(|^import )"\.[^"]+)\.tsx?"/gm, '$1.js"'),
    );
  }
  return made;
}

/** Writes the declarations below `folder`, the package's `dist`. */
export async function writeDeclarations(declarations: Declarations, folder: string): Promise<void> {
  for (const [path, text] of declarations) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
