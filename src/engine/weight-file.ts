/** A file with weights, wherever it is: in memory, or in the browser's storage, from where slices are read when they are wanted. */
import type { WeightBytes } from "./onnx/tensor.ts";

/** Of workers alone, and not among the types of pages. */
declare const FileReaderSync: (new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }) | undefined;

export type WeightFile = Uint8Array | Blob;

/** The contents of the files, to be read without waiting. */
export async function weightBytes(
  files: ReadonlyMap<string, WeightFile>,
): Promise<ReadonlyMap<string, WeightBytes>> {
  const entries = Array.from(files, async ([name, file]) => [name, await readable(file)] as const);
  return new Map(await Promise.all(entries));
}

/** In a worker a blob stays where it is; elsewhere (Node, a page's own thread) only its whole content can be had without waiting. */
async function readable(file: WeightFile): Promise<WeightBytes> {
  if (file instanceof Uint8Array) return file;
  if (typeof FileReaderSync === "undefined") return new Uint8Array(await file.arrayBuffer());
  const reader = new FileReaderSync();
  return {
    byteLength: file.size,
    subarray: (begin, end) => new Uint8Array(reader.readAsArrayBuffer(file.slice(begin, end))),
  };
}
