/** A file with weights: in memory, or in the browser's storage, from which slices are read when they are needed. */

import type { ExternalData, WeightBytes } from "../base/weight-bytes.ts";
import { openCachedFile } from "../storage/sync-files.ts";

/** Exists in workers only, so the DOM types of pages do not declare it. */
declare const FileReaderSync: (new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }) | undefined;

export type WeightFile = Uint8Array | Blob;

export interface OpenWeights {
  /** The contents of the files; they can be read synchronously. */
  readonly data: ExternalData;
  /** Releases the files. `data` must not be read afterwards. */
  close(): void;
}

/** Opens the files of weights, so that they can be read synchronously until `close`. */
export async function openWeights(files: ReadonlyMap<string, WeightFile>): Promise<OpenWeights> {
  const opened = await Promise.all(
    Array.from(files, async ([name, file]) => [name, await open(file)] as const),
  );
  return {
    data: new Map(opened.map(([name, { bytes }]) => [name, bytes])),
    close: () => {
      for (const [, { close }] of opened) close();
    },
  };
}

interface Opened {
  readonly bytes: WeightBytes;
  readonly close: () => void;
}

const nothing = (): void => {};

/** In a worker, parts of a blob can be read synchronously. Elsewhere (Node, a page's own thread) the whole blob is read first. */
async function open(file: WeightFile): Promise<Opened> {
  if (file instanceof Uint8Array) return { bytes: file, close: nothing };
  if (typeof FileReaderSync === "undefined") {
    return { bytes: new Uint8Array(await file.arrayBuffer()), close: nothing };
  }
  const cachedFile = await openCachedFile(file);
  if (cachedFile) return { bytes: cachedFile, close: () => cachedFile.close() };
  const reader = new FileReaderSync();
  const subarray = (begin: number, end: number): Uint8Array =>
    new Uint8Array(reader.readAsArrayBuffer(file.slice(begin, end)));
  return { bytes: { byteLength: file.size, subarray }, close: nothing };
}
