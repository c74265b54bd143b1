/**
 * Reads slices of files in the browser's storage synchronously. `FileReaderSync` asks another process for each slice and
 * waits 5 to 7 ms, whatever the slice's size: the 154 reads of SmolLM2's weights took 1 s. An access handle of the file
 * system reads in this process: the same reads took 15 ms. Only files of the origin private file system have such a handle,
 * and only in workers.
 */
import type { WeightBytes } from "../base/weight-bytes.ts";

/** The used part of `FileSystemSyncAccessHandle`, which only the types of workers have. */
interface SyncAccessHandle {
  getSize(): number;
  read(target: Uint8Array, options: { at: number }): number;
  close(): void;
}

/** The used part of `FileSystemFileHandle`. */
export interface OpfsFileHandle {
  getFile(): Promise<File>;
  /** Exists in workers only. In browsers without `mode`, the first open handle locks the file for everybody else. */
  createSyncAccessHandle?(options: { mode: "read-only" }): Promise<SyncAccessHandle>;
}

/** The handle from which a file came, and the parts of a file that `joinBlobs` made. */
const handles = new WeakMap<Blob, OpfsFileHandle>();
const partsOf = new WeakMap<Blob, readonly Blob[]>();

/** Opens a handle's file, and remembers the handle for `openCachedFile`. */
export async function openFileOfHandle(handle: OpfsFileHandle): Promise<File> {
  const file = await handle.getFile();
  handles.set(file, handle);
  return file;
}

/** Joins several Blobs into one, and remembers the parts for `openCachedFile`. */
export function joinBlobs(parts: readonly Blob[]): Blob {
  const whole = new Blob([...parts]);
  partsOf.set(whole, parts);
  return whole;
}

/** A file's bytes, read synchronously until `close`. */
export interface OpenFile extends WeightBytes {
  close(): void;
}

/**
 * Opens a blob's bytes by access handles. Returns null if a part of the blob has no handle, was changed, or is open
 * elsewhere; the caller then reads the blob itself. While the file is open, nobody can write or delete the cached bytes.
 */
export async function openCachedFile(blob: Blob): Promise<OpenFile | null> {
  const parts = partsOf.get(blob) ?? [blob];
  const opened = await Promise.all(parts.map((part) => open(part).catch(() => null)));
  const close = (): void => {
    for (const each of opened) each?.close();
  };
  if (opened.some((each) => each === null)) {
    close();
    return null;
  }
  return { byteLength: blob.size, subarray: sliceReader(parts, opened as SyncAccessHandle[]), close };
}

async function open(part: Blob): Promise<SyncAccessHandle | null> {
  const handle = handles.get(part);
  if (!handle?.createSyncAccessHandle) return null;
  const opened = await handle.createSyncAccessHandle({ mode: "read-only" });
  try {
    // If the file was written since, the blob cannot be read any more, but a handle would read the new contents.
    const { lastModified } = await handle.getFile();
    if (opened.getSize() === part.size && lastModified === (part as File).lastModified) return opened;
  } catch {
    // Treated like a changed file.
  }
  opened.close();
  return null;
}

function sliceReader(
  parts: readonly Blob[],
  opened: readonly SyncAccessHandle[],
): (begin: number, end: number) => Uint8Array {
  const starts: number[] = [];
  let size = 0;
  for (const part of parts) {
    starts.push(size);
    size += part.size;
  }
  return (begin, end) => {
    const target = new Uint8Array(Math.max(0, Math.min(end, size) - begin));
    for (const [i, start] of starts.entries()) {
      const from = Math.max(begin, start);
      const to = Math.min(begin + target.length, start + (parts[i]?.size ?? 0));
      if (from >= to) continue;
      const read = opened[i]?.read(target.subarray(from - begin, to - begin), { at: from - start });
      if (read !== to - from) {
        throw new Error(
          `Only ${read ?? 0} of ${to - from} bytes of a saved file could be read: the file was changed or the disk is damaged. Load the model again.`,
        );
      }
    }
    return target;
  };
}
