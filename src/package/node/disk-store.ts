/** The store of downloaded models, in a folder of the user. */
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { createLocalLocks } from "../../runtime/engine/storage/locks.ts";
import { ModelStore } from "../../runtime/engine/storage/model-store.ts";
import { createWebLocks } from "../../runtime/engine/storage/web-locks.ts";
import { createDiskTree } from "./disk-tree.ts";

/** `midtoken/models` in the system's folder for caches: `$XDG_CACHE_HOME`, or its equivalent on other systems. */
export function defaultCacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local } = environment;
  // The XDG specification says to ignore a relative path.
  if (given && isAbsolute(given)) return join(given, "midtoken", "models");
  if (platform === "win32" && local) return join(local, "midtoken", "models");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "midtoken", "models");
  return join(homedir(), ".cache", "midtoken", "models");
}

export function createDiskStore(folder: string): ModelStore {
  // Node 24 has Web Locks, shared by the threads of a process.
  const manager = (globalThis.navigator as { readonly locks?: LockManager } | undefined)?.locks;
  return new ModelStore({
    tree: createDiskTree(folder),
    locks: manager ? createWebLocks(manager) : createLocalLocks(),
    room: () => freeBytes(folder),
    name: folder,
  });
}

/** Null if the folder does not exist yet, or if the system does not report free space. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
