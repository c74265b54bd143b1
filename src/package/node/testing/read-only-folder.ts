/** A folder that this process can read and not write, also where tests run as root, whom rights do not hold back. */
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";

const isRoot = process.getuid?.() === 0;

/**
 * Takes the right to write, and for root mounts the folder over itself, read-only.
 * Answers the call that undoes both; null where root may not mount: the folder can be written then.
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
