/** Finds files and folders below one folder, even if it contains links. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isServableFileName } from "./request-checks.ts";

export type FoundInside =
  | {
      readonly kind: "file";
      /** The path after all links are resolved: opening it follows no link. */
      readonly path: string;
      readonly size: number;
      /** Milliseconds since 1970. */
      readonly modified: number;
    }
  | { readonly kind: "folder" }
  /** Links lead out of the folder, or to a dotfile in the folder. */
  | { readonly kind: "outside" };

/**
 * Finds the file or folder that the names lead to. `folder` may be a link itself. Null if nothing is there, or something else (a
 * pipe, a device).
 */
export async function resolvePathInside(
  folder: string,
  names: readonly string[],
): Promise<FoundInside | null> {
  const root = await realpath(folder).catch(() => null);
  const path = await realpath(join(folder, ...names)).catch(() => null);
  if (root === null || path === null) return null;
  const inside = relative(root, path);
  // On Windows, the relative path to another drive is absolute.
  const isInside = !isAbsolute(inside) && inside.split(sep).every(isServableFileName);
  if (inside !== "" && !isInside) return { kind: "outside" };
  const info = await stat(path).catch(() => null);
  if (info?.isDirectory()) return { kind: "folder" };
  // A slash at the end of the path asks for a folder.
  const wantsFolder = names.at(-1) === "";
  return info?.isFile() && !wantsFolder
    ? { kind: "file", path, size: info.size, modified: info.mtimeMs }
    : null;
}
