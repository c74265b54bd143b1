/** The largest file below a folder, and the size of all: common static hosts refuse files over 25 MiB. */
import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Bytes: 25 MB, the limit that the documents state. Static hosts allow 25 MiB, which is more. */
export const maxFileBytes = 25_000_000;

export interface FolderSize {
  readonly largest: { readonly path: string; readonly bytes: number };
  readonly bytes: number;
}

export function measureFolder(folder: string): FolderSize {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  let largest = { path: "", bytes: 0 };
  let sum = 0;
  for (const file of files) {
    const bytes = statSync(file).size;
    sum += bytes;
    if (bytes > largest.bytes) largest = { path: relative(folder, file), bytes };
  }
  return { largest, bytes: sum };
}
