/** A file tree in the site's own folder of the browser (the origin private file system), for pages and workers. */

import type { FileTree } from "./file-tree.ts";
import { openFileOfHandle } from "./sync-files.ts";

/**
 * Bytes of one write. Chromium sends them to its storage process through a pipe of 2 MB. If more bytes are sent and the
 * storage is full, one write in ten fails with an AbortError ("Failed to write data to data pipe"), because the pipe closes
 * before the reason arrives. Smaller writes fail with QuotaExceededError.
 */
const pieceBytes = 2 ** 20;

/**
 * A folder with this name in the site's own file system. Calls `getRoot` at each use, because the user may delete the site's
 * data.
 */
export function createOpfsFileTree(
  name: string,
  getRoot: () => Promise<FileSystemDirectoryHandle> = () => navigator.storage.getDirectory(),
): FileTree {
  const folderAt = async (names: readonly string[], create: boolean): Promise<FileSystemDirectoryHandle> => {
    let folder = await getRoot();
    for (const each of [name, ...names]) folder = await folder.getDirectoryHandle(each, { create });
    return folder;
  };
  const place = (path: string) => {
    const names = path.split("/");
    return { last: names.pop() as string, names };
  };
  return {
    read: (path) =>
      unlessMissing(null, async () => {
        const { names, last } = place(path);
        return openFileOfHandle(await (await folderAt(names, false)).getFileHandle(last));
      }),
    async write(path, content) {
      const { names, last } = place(path);
      const file = await (await folderAt(names, true)).getFileHandle(last, { create: true });
      if ("createWritable" in file) {
        const stream = await file.createWritable();
        try {
          for (let begin = 0; begin < content.length; begin += pieceBytes)
            await stream.write(content.subarray(begin, begin + pieceBytes));
          await stream.close();
        } catch (cause) {
          await stream.abort().catch(() => undefined);
          throw cause;
        }
        return;
      }
      await writeInPlace(file, content);
    },
    remove: (path) =>
      unlessMissing(undefined, async () => {
        const { names, last } = place(path);
        await (await folderAt(names, false)).removeEntry(last, { recursive: true });
      }),
    list: (path) =>
      unlessMissing<readonly string[]>([], async () => {
        const folder = await folderAt(path === "" ? [] : path.split("/"), false);
        const names: string[] = [];
        for await (const each of folder.keys()) names.push(each);
        return names;
      }),
  };
}

interface SyncAccessHandle {
  truncate(size: number): void;
  write(content: Uint8Array): number;
  flush(): void;
  close(): void;
}

/** Safari before 26 writes only in workers, and in place: an interrupted write leaves a file with a wrong size. */
async function writeInPlace(file: object, content: Uint8Array): Promise<void> {
  const { createSyncAccessHandle } = file as { createSyncAccessHandle?: () => Promise<SyncAccessHandle> };
  if (!createSyncAccessHandle) throw new Error("This browser does not let a page write files.");
  const handle = await createSyncAccessHandle.call(file);
  try {
    handle.truncate(0);
    handle.write(content);
    handle.flush();
  } finally {
    handle.close();
  }
}

async function unlessMissing<Found>(missing: Found, look: () => Promise<Found>): Promise<Found> {
  try {
    return await look();
  } catch (cause) {
    const { name } = cause as DOMException;
    if (name === "NotFoundError" || name === "TypeMismatchError") return missing;
    throw cause;
  }
}
