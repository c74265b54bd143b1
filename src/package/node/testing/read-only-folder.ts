/** Makes a folder that this process can read but not write, even if tests run as root, who may normally write everywhere. */
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";

const isRoot = process.getuid?.() === 0;

/**
 * Removes the permission to write; for root, mounts the folder over itself read-only. Returns a function that undoes this;
 * null if root may not mount, and the folder is still writable.
 */
export function makeReadOnly(folder: string): (() => void) | null {
  if (isRoot) return mountReadOnly(folder);
  chmodSync(folder, 0o555);
  return () => chmodSync(folder, 0o755);
}

const did = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

function mountReadOnly(folder: string): (() => void) | null {
  if (!did("mount", "--bind", folder, folder)) return null;
  if (!did("mount", "-o", "remount,ro,bind", folder)) {
    did("umount", folder);
    return null;
  }
  return () => {
    if (!did("umount", folder)) throw new Error(`${folder} could not be unmounted.`);
  };
}
