/** Packs the columns of one section into bytes, with the packing that is shortest. `packing.ts` unpacks them. */
import { Deflate, deflateSync } from "fflate";
import { type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import { joined } from "./bytes.ts";
import { presetDictionary } from "./dictionary.ts";
import { type PackedColumns, packings, rangeCoderLimit } from "./packing.ts";
import { rangeEncode } from "./range-encoder.ts";

/**
 * Packs short texts into fewer bytes than the other packings (`mixing-coder.ts`). Code that reads and writes links passes it
 * in. Files are not packed this way, so that the page can save and open runs before this code is loaded.
 */
export interface TextPacker {
  /** The most bytes that the columns may have together. */
  readonly limit: number;
  encode(columns: readonly Uint8Array[]): ResumableWork<Uint8Array>;
}

/** Mixing is slow to unpack, so it is chosen only if its result is shorter than this share of the shortest other packing. */
const mixingShare = 0.9;

/** In steps: the shortest packing, or nearly the shortest; among equally short packings, the first. */
export function* packing(
  columns: readonly Uint8Array[],
  mixing: TextPacker | null = null,
): ResumableWork<PackedColumns> {
  const whole = joined(columns);
  const all: PackedColumns[] = [
    { packing: packings.none, bytes: whole },
    { packing: packings.deflate, bytes: yield* scaleProgress(deflating(whole), 0, 0.4) },
    {
      packing: packings.deflateDictionary,
      bytes: yield* scaleProgress(deflating(whole, presetDictionary), 0.4, 0.8),
    },
  ];
  if (whole.length <= rangeCoderLimit) {
    for (const order of [0, 1, 2] as const) {
      all.push({ packing: packings.range0 + order, bytes: rangeEncode(columns, order) });
      yield 0.8;
    }
  }
  const best = all.reduce((best, each) => (each.bytes.length < best.bytes.length ? each : best));
  if (!mixing || whole.length > mixing.limit) return best;
  const bytes = yield* scaleProgress(mixing.encode(columns), 0.8, 1);
  return bytes.length <= mixingShare * best.bytes.length ? { packing: packings.mixing, bytes } : best;
}

/** Shorter columns are deflated in one go, longer columns in chunks of this length. */
const deflatePiece = 65_536;

function* deflating(whole: Uint8Array, preset?: Uint8Array<ArrayBuffer>): ResumableWork<Uint8Array> {
  const options = { level: 9, ...(preset && { dictionary: preset }) } as const;
  if (whole.length <= deflatePiece) {
    yield 0;
    return deflateSync(whole, options);
  }
  const pieces: Uint8Array[] = [];
  const stream = new Deflate(options, (piece) => pieces.push(piece));
  for (let start = 0; start < whole.length; start += deflatePiece) {
    yield start / whole.length;
    stream.push(whole.subarray(start, start + deflatePiece), start + deflatePiece >= whole.length);
  }
  return joined(pieces);
}
