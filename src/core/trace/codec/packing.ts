/**
 * Unpacks the columns of one section. `pack.ts` tries the packings below and takes the shortest result; mixing has to save
 * 10 % or more. The packing number and the lengths of the columns stand beside the packed bytes (`container.ts`), so the bytes
 * hold the contents alone.
 *
 * Example: the text "Once upon a time, there was a little mod. It liked to forceTokens." (66 bytes) takes
 *   64 bytes with `deflate`, 45 with `range0`, 20 with `deflateDictionary`, 11 with `mixing`
 * A file stores packing 2 (`deflateDictionary`) and the 20 bytes; a link stores packing 6 (`mixing`) and the 11 bytes.
 * The columns [0, 0, 0, 0] and [1, 2] become packing 3 (`range0`) and the bytes 255 255 253 163. With the lengths [4, 2],
 * `unpacking` returns the two columns.
 *
 * Rules: the bytes are not trusted. Inflating stops soon after `total` bytes, so a small section cannot fill the memory: for
 * the lengths [4, 2], 100,000 packed zeros end with "a section unpacks to more than it says". The range coder and mixing do not
 * code where the contents end: with the lengths [4, 1] or [4, 3], the four bytes above unpack to other columns without an
 * error. The checksum of the container guards the lengths.
 */
import { Inflate } from "fflate";
import type { ResumableWork, WaitingWork } from "../../base/resumable-work.ts";
import { TraceError } from "../format/trace-error.ts";
import { presetDictionary } from "./dictionary.ts";
import { type ContextOrder, rangeDecode } from "./range-coder.ts";

/** Ways of packing. The numbers are in links and never change their meaning. */
export const packings = {
  none: 0,
  deflate: 1,
  /** Deflate after the preset dictionary. */
  deflateDictionary: 2,
  /** Adaptive range coder; contexts of 0, 1 and 2 bytes. */
  range0: 3,
  range1: 4,
  range2: 5,
  /** The context-mixing model, primed with the dictionary. Only links use it: see `TextPacker`. */
  mixing: 6,
} as const;

/**
 * The most bytes that the range coder packs: it is slow, deflate packs longer columns as well, and each byte may make a context
 * of 1 KB.
 */
export const rangeCoderLimit = 32_768;

/** Unpacks the bytes of a `TextPacker`. */
export interface TextUnpacker {
  /** The most bytes that the columns may have together. */
  readonly limit: number;
  /** @throws TraceError when bytes are left over. */
  decode(bytes: Uint8Array, lengths: readonly number[]): ResumableWork<Uint8Array[]>;
}

export interface PackedColumns {
  readonly packing: number;
  readonly bytes: Uint8Array;
}

/** A column in chunks. It is read from front to back, and each chunk is freed after it was read. */
export type ColumnChunks = Uint8Array[];

/** In steps: inflates deflated bytes, in chunks. @throws TraceError if they are damaged or inflate to more than `total` bytes. */
export type Inflating = (packed: Uint8Array, total: number, preset?: Uint8Array) => WaitingWork<ColumnChunks>;

/**
 * In steps: unpacks the columns. Never makes more bytes than the sum of `lengths`, which the caller has limited.
 * @throws TraceError if the packing is unknown, if inflated bytes do not have exactly these lengths, or if bytes are left over.
 */
export function* unpacking(
  { packing: way, bytes }: PackedColumns,
  lengths: readonly number[],
  inflate: Inflating,
  mixing: TextUnpacker | null = null,
): WaitingWork<ColumnChunks[]> {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  switch (way) {
    case packings.none:
      return split([bytes], lengths, total);
    case packings.deflate:
      return split(yield* inflate(bytes, total), lengths, total);
    case packings.deflateDictionary:
      return split(yield* inflate(bytes, total, presetDictionary), lengths, total);
    case packings.range0:
    case packings.range1:
    case packings.range2:
      if (total > rangeCoderLimit)
        throw new TraceError("The trace is damaged: a section is too large for its packing method.");
      yield 0;
      return rangeDecode(bytes, lengths, (way - packings.range0) as ContextOrder).map((column) =>
        column.length > 0 ? [column] : [],
      );
    case packings.mixing:
      if (!mixing)
        throw new TraceError("The trace is damaged: a section uses a packing method that only links use.");
      if (total > mixing.limit)
        throw new TraceError("The trace is damaged: a section is too large for its packing method.");
      return (yield* mixing.decode(bytes, lengths)).map((column) => (column.length > 0 ? [column] : []));
    default:
      throw new TraceError(
        `The trace is packed with method ${way}, which this version of Midtoken cannot read. Reload the page to get the newest version.`,
      );
  }
}

/** Cuts one text of all columns into columns. A column may span several pieces, and a piece several columns. */
function split(pieces: readonly Uint8Array[], lengths: readonly number[], total: number): ColumnChunks[] {
  if (pieces.reduce((sum, { length }) => sum + length, 0) !== total)
    throw new TraceError("The trace is damaged: a section has the wrong length.");
  let place = 0;
  let rest = pieces[0] ?? new Uint8Array();
  return lengths.map((length) => {
    const column: ColumnChunks = [];
    for (let left = length; left > 0; ) {
      while (rest.length === 0) rest = pieces[++place] as Uint8Array;
      const taken = rest.subarray(0, left);
      column.push(taken);
      rest = rest.subarray(taken.length);
      left -= taken.length;
    }
    return column;
  });
}

/**
 * Length of the chunks of packed bytes that inflate gets. A chunk may inflate to about 1,000 times its length (17 MB) before
 * the output is counted. Each chunk costs a copy of the 32 KB that later chunks may refer to.
 */
const inputPiece = 16_384;

export function* inflating(
  bytes: Uint8Array,
  total: number,
  preset?: Uint8Array,
): ResumableWork<ColumnChunks> {
  const pieces: ColumnChunks = [];
  let length = 0;
  const stream = new Inflate({ dictionary: preset }, (piece) => {
    length += piece.length;
    if (length > total) throw unpacksToMore();
    pieces.push(piece);
  });
  try {
    for (let start = 0; start < Math.max(bytes.length, 1); start += inputPiece) {
      stream.push(bytes.slice(start, start + inputPiece), start + inputPiece >= bytes.length);
      yield start / bytes.length || 0;
    }
  } catch (cause) {
    if (cause instanceof TraceError) throw cause;
    throw notUnpacked(cause);
  }
  return pieces;
}

export const unpacksToMore = (): TraceError =>
  new TraceError("The trace is damaged: a section unpacks to more than it says.");

export const notUnpacked = (cause: unknown): TraceError =>
  new TraceError("The trace is damaged: a section cannot be unpacked.", { cause });
