/** Models that were downloaded, kept in a folder of the user's. */
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ownLocks } from "../../runtime/engine/storage/locks.ts";
import { ModelStore } from "../../runtime/engine/storage/model-store.ts";
import { webLocks } from "../../runtime/engine/storage/web-locks.ts";
import { diskTree } from "./disk-tree.ts";

/** `midtoken/models` in the folder for what can be fetched again: `$XDG_CACHE_HOME`, or what the system has in its place. */
export function defaultCacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local } = environment;
  // The rules of XDG ignore a path that is not absolute.
  if (given && isAbsolute(given)) return join(given, "midtoken", "models");
  if (platform === "win32" && local) return join(local, "midtoken", "models");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "midtoken", "models");
  return join(homedir(), ".cache", "midtoken", "models");
}

export function diskStore(folder: string): ModelStore {
  // Node 24 has Web Locks, for the threads of a program.
  const manager = (globalThis.navigator as { readonly locks?: LockManager } | undefined)?.locks;
  return new ModelStore({
    tree: diskTree(folder),
    locks: manager ? webLocks(manager) : ownLocks(),
    room: () => freeBytes(folder),
    name: folder,
  });
}

/** Null if the folder is not there yet, or the system does not say. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
