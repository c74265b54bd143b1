/** Files and folders below one folder, whatever links lie in it. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isServedName } from "./request-checks.ts";

export type FoundInside =
  | {
      readonly kind: "file";
      /** Where it really lies: opening this follows no link. */
      readonly path: string;
      readonly size: number;
      /** Milliseconds since 1970. */
      readonly modified: number;
    }
  | { readonly kind: "folder" }
  /** Links lead out of the folder, or to a dotfile in it. */
  | { readonly kind: "outside" };

/**
 * What the names lead to below `folder`, which may be a link itself. Null if there is nothing, or neither a file nor a
 * folder (a pipe, a device).
 */
export async function findInside(folder: string, names: readonly string[]): Promise<FoundInside | null> {
  const root = await realpath(folder).catch(() => null);
  const path = await realpath(join(folder, ...names)).catch(() => null);
  if (root === null || path === null) return null;
  const inside = relative(root, path);
  // On another drive of Windows it is an absolute path.
  const isInside = !isAbsolute(inside) && inside.split(sep).every(isServedName);
  if (inside !== "" && !isInside) return { kind: "outside" };
  const info = await stat(path).catch(() => null);
  if (info?.isDirectory()) return { kind: "folder" };
  // A slash at the end asks for a folder.
  const wantsFolder = names.at(-1) === "";
  return info?.isFile() && !wantsFolder
    ? { kind: "file", path, size: info.size, modified: info.mtimeMs }
    : null;
}
