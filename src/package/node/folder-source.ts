/** Reads the files of a model from a folder on this machine. */
import { constants, openAsBlob, type Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { formatBytes } from "../../core/base/number-text.ts";
import { ModelFileError } from "../../runtime/engine/base/model-file-error.ts";
import type { ModelSource } from "../../runtime/engine/files/model-source.ts";

/** Bytes per read. Between two reads a load can be cancelled. */
const pieceBytes = 64 * 2 ** 20;

export function createFolderSource(folder: string): ModelSource {
  return {
    address: folder,
    async read(file, { maxBytes, signal, onProgress }) {
      signal?.throwIfAborted();
      const path = await pathInside(folder, file);
      refuseSpecial(await stat(path), path, file);
      // Non-blocking, because the path may be a FIFO, which would wait for a writer.
      const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
        (cause: unknown) => {
          throw unreadable(folder, file, cause);
        },
      );
      try {
        const info = await handle.stat();
        refuseSpecial(info, path, file);
        const { size } = info;
        refuseLarge(size, maxBytes, file);
        const bytes = new Uint8Array(size);
        for (let at = 0; at < size; ) {
          signal?.throwIfAborted();
          const { bytesRead } = await handle.read(bytes, at, Math.min(pieceBytes, size - at), at);
          if (bytesRead === 0) throw new ModelFileError(`${file} was cut short while it was read.`, file);
          at += bytesRead;
          onProgress?.({ stage: "download", file, loadedBytes: at, totalBytes: size, fromCache: true });
        }
        return bytes;
      } finally {
        await handle.close();
      }
    },
    async open(file, { maxBytes, signal, onProgress }) {
      signal?.throwIfAborted();
      const path = await pathInside(folder, file);
      try {
        const info = await stat(path);
        refuseSpecial(info, path, file);
        refuseLarge(info.size, maxBytes, file);
        const content = await openAsBlob(path);
        signal?.throwIfAborted();
        const { size } = content;
        onProgress?.({ stage: "download", file, loadedBytes: size, totalBytes: size, fromCache: true });
        return content;
      } catch (cause) {
        signal?.throwIfAborted();
        throw cause instanceof ModelFileError ? cause : unreadable(folder, file, cause);
      }
    },
    async list() {
      const names = await readdir(resolve(folder, "onnx")).catch((): string[] => []);
      const sizes = names.map((name) => stat(resolve(folder, "onnx", name)).catch(() => null));
      const found = await Promise.all(sizes);
      return names.flatMap((name, index) => {
        const info = found[index];
        return info?.isFile() ? [{ path: `onnx/${name}`, bytes: info.size }] : [];
      });
    },
  };
}

/** @throws ModelFileError for a folder, and for a FIFO, a socket or a device, whose reads may never end. */
function refuseSpecial(info: Stats, path: string, file: string): void {
  if (info.isFile()) return;
  throw new ModelFileError(
    `${file} of the model is not a regular file: ${path} is ${kindOf(info)}. Put the file itself there.`,
    file,
  );
}

function kindOf(info: Stats): string {
  if (info.isDirectory()) return "a folder";
  if (info.isFIFO()) return "a FIFO";
  if (info.isSocket()) return "a socket";
  return "a device";
}

function refuseLarge(size: number, maxBytes: number, file: string): void {
  if (size <= maxBytes) return;
  throw new ModelFileError(
    `${file} is ${formatBytes(size)}, but the limit for such a file is ${formatBytes(maxBytes)}. Check that the folder contains a model in ONNX format.`,
    file,
  );
}

/** @throws ModelFileError for a path that leaves the folder: the names of external data come from an untrusted file. */
async function pathInside(folder: string, file: string): Promise<string> {
  const path = resolve(folder, file);
  const within = relative(folder, path);
  if (within === "" || within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within)) {
    throw new ModelFileError(
      `"${file}" is not a path inside a model's folder. The model file is damaged or hostile.`,
      file,
    );
  }
  // The folder itself and its files may be links, as in caches of the hub.
  return realpath(path).catch((cause: unknown) => {
    throw unreadable(folder, file, cause);
  });
}

function unreadable(folder: string, file: string, cause: unknown): ModelFileError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ModelFileError(`${file} is not in ${folder}. Check the folder.`, file, 404, { cause });
  }
  return new ModelFileError(`${file} in ${folder} cannot be read: ${message}.`, file, null, { cause });
}
