/**
 * Stores a `.trace` file inside a picture: in the PNG chunk `mtTr`. By the PNG rules, the letters of this name say that programs
 * may ignore the chunk (m), that it is private (t), and that programs which do not know it may copy it (r).
 */
import { crc32, joined } from "../../codec/bytes.ts";
import { traceLimits } from "../../format/limits.ts";
import { TraceError } from "../../format/trace-error.ts";

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const chunkName = "mtTr";
/** Bytes of a chunk's length and name. Its checksum follows the data. */
const headLength = 8;
const crcLength = 4;
/** The most chunks that are read. A normal picture has some dozens. */
const mostChunks = 100_000;

export function isPng(bytes: Uint8Array): boolean {
  return signature.every((byte, place) => bytes[place] === byte);
}

interface Chunk {
  readonly name: string;
  /** Where the chunk's head begins. */
  readonly start: number;
  readonly end: number;
  readonly data: Uint8Array;
}

function* chunksOf(bytes: Uint8Array): Generator<Chunk, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = signature.length;
  for (let count = 0; start < bytes.length; count += 1) {
    if (count >= mostChunks) throw damaged(`it has more than ${mostChunks} chunks`);
    if (start + headLength + crcLength > bytes.length) throw damaged("it ends in the middle of a chunk");
    const length = view.getUint32(start);
    const end = start + headLength + length + crcLength;
    if (end > bytes.length) throw damaged("it ends in the middle of a chunk");
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + headLength));
    yield { name, start, end, data: bytes.subarray(start + headLength, end - crcLength) };
    if (name === "IEND") return;
    start = end;
  }
  throw damaged("its end is missing");
}

const damaged = (how: string): TraceError =>
  new TraceError(`The picture is damaged: ${how}. Download the picture again.`);

/**
 * The picture with a `.trace` file in a chunk before its end; an earlier trace in the picture is replaced.
 * @throws TraceError for bytes that are no PNG.
 */
export function pngWithTrace(png: Uint8Array, file: Uint8Array): Uint8Array<ArrayBuffer> {
  if (!isPng(png)) throw new TraceError("The browser could not make a PNG of the picture.");
  const kept = [...chunksOf(png)].filter(({ name }) => name !== chunkName);
  const parts = kept.map(({ start, end }) => png.subarray(start, end));
  parts.splice(-1, 0, chunkOf(file));
  return joined([Uint8Array.from(signature), ...parts]);
}

function chunkOf(data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(headLength + data.length + crcLength);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(
    Array.from(chunkName, (letter) => letter.charCodeAt(0)),
    4,
  );
  chunk.set(data, headLength);
  view.setUint32(headLength + data.length, crc32(chunk.subarray(4, headLength + data.length)));
  return chunk;
}

/**
 * The `.trace` file inside a picture, not yet decoded.
 * @throws TraceError for a damaged picture or a picture without a run.
 */
export function traceInPng(png: Uint8Array): Uint8Array {
  if (!isPng(png))
    throw new TraceError("This file is not a PNG picture. Choose a picture that Midtoken saved.");
  const found = [...chunksOf(png)].filter(({ name }) => name === chunkName);
  const [chunk] = found;
  if (!chunk) {
    throw new TraceError(
      "The picture contains no run. Chat apps and image editors often remove the run: ask for the original file, or for a link.",
    );
  }
  if (found.length > 1) throw damaged(`it contains ${found.length} runs`);
  const { start, end, data } = chunk;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  if (crc32(png.subarray(start + 4, end - crcLength)) !== view.getUint32(end - crcLength))
    throw damaged("the checksum of its run is wrong");
  if (data.length > traceLimits.fileBytes) {
    throw new TraceError(
      `The picture’s run has ${data.length} bytes; the limit is ${traceLimits.fileBytes}.`,
    );
  }
  return data;
}
