/** The page's files by purpose, and which of them are saved. Pure. */
import { nameWithoutHash, type PageFiles } from "./page-cache.ts";

export interface PagePart {
  readonly title: string;
  /** Number of saved files, and of these and the missing files together. */
  readonly cachedCount: number;
  readonly count: number;
  readonly cachedBytes: number;
  /** Paths and size of the files that are not saved. */
  readonly missing: readonly string[];
  readonly missingBytes: number;
}

const titles = {
  shell: "The page and the view of shared runs",
  engine: "The engine, with the model that comes with the page",
  editor: "The editor",
  others: "Panels, dialogs and the guide",
} as const;

type Part = keyof typeof titles;

function partOf(path: string): Exclude<Part, "shell"> {
  const stem = nameWithoutHash(path);
  if (path.startsWith("models/") || /^(engine-|compile-|_virtual_sandbox|runtime-|ort-wasm)/.test(stem))
    return "engine";
  return /^(code-editor|monaco|editor|codicon|ts\.worker|typescript|sdk-types)/.test(stem)
    ? "editor"
    : "others";
}

/**
 * A browser needs one runtime: the ones that it has used are saved, and no other counts as missing. Scripts for one
 * character set are loaded for texts with its letters.
 */
function isForOthers(path: string, { needs }: PageFiles): boolean {
  return path in needs || /^ort-wasm/.test(nameWithoutHash(path)) || path.endsWith(".woff2");
}

/** `cachedPaths`: paths of the saved files. */
export function pageParts(files: PageFiles, cachedPaths: ReadonlySet<string>): readonly PagePart[] {
  const shell = files.shell.map(({ url }) => url);
  const inShell = new Set(shell);
  const others = [...files.assets, ...files.models].filter((path) => !inShell.has(path));
  const bytesOf = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + (files.bytes[path] ?? 0), 0);
  const part = (name: Part): PagePart => {
    const all = name === "shell" ? shell : others.filter((path) => partOf(path) === name);
    const cached = name === "shell" ? all : all.filter((path) => cachedPaths.has(path));
    const missing = all.filter((path) => !cached.includes(path) && !isForOthers(path, files));
    return {
      title: titles[name],
      cachedCount: cached.length,
      count: cached.length + missing.length,
      cachedBytes: bytesOf(cached),
      missing,
      missingBytes: bytesOf(missing),
    };
  };
  return (Object.keys(titles) as Part[]).map(part);
}
