/** A file tree in a folder on this machine's disk. */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileTree } from "../../runtime/engine/storage/file-tree.ts";

export function createDiskTree(folder: string): FileTree {
  const placeOf = (path: string): string => join(folder, ...path.split("/"));
  return {
    read: (path) =>
      unlessMissing(null, async () => {
        const place = placeOf(path);
        // `openAsBlob` would treat a folder as an empty file.
        return (await stat(place)).isFile() ? openAsBlob(place) : null;
      }),
    async write(path, content) {
      const place = placeOf(path);
      // In the same folder, so that a rename can move the file into place: readers see the whole file or none.
      const partial = `${place}.${randomUUID()}.partial`;
      await mkdir(dirname(place), { recursive: true });
      try {
        await writeFile(partial, content, { flag: "wx" });
        await rename(partial, place);
      } catch (cause) {
        await rm(partial, { force: true });
        throw cause;
      }
    },
    remove: (path) => rm(placeOf(path), { recursive: true, force: true }),
    list: (path) =>
      unlessMissing<readonly string[]>([], async () => {
        const names = await readdir(placeOf(path));
        return names.filter((name) => !name.endsWith(".partial"));
      }),
  };
}

async function unlessMissing<Found>(missing: Found, look: () => Promise<Found>): Promise<Found> {
  try {
    return await look();
  } catch (error) {
    // The path is a folder, or a file is where a folder is expected.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(code)) return missing;
    throw error;
  }
}
