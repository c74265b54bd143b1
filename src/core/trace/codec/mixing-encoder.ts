/** The writing half of `mixing-coder.ts`. */
import type { ResumableWork } from "../../base/resumable-work.ts";
import { createBitEncoder } from "./bit-encoder.ts";
import { mixingBytesPerStep, mixingColumnNumber, mixingLimit, mixingModelFor } from "./mixing-coder.ts";
import { learnBit, predictBit, startColumn } from "./mixing-model.ts";
import type { TextPacker } from "./pack.ts";

/** In steps: encodes the columns. The lengths are not coded: the decoder gets the lengths from its caller. */
function* encode(columns: readonly Uint8Array[]): ResumableWork<Uint8Array<ArrayBuffer>> {
  const model = yield* mixingModelFor(columns.map(({ length }) => length));
  const bits = createBitEncoder();
  for (const [column, bytes] of columns.entries()) {
    if (bytes.length === 0) continue;
    startColumn(model, mixingColumnNumber(column, columns.length));
    for (const [place, byte] of bytes.entries()) {
      for (let shift = 7; shift >= 0; shift -= 1) {
        const bit = (byte >> shift) & 1;
        bits.write(bit, predictBit(model));
        learnBit(model, bit);
      }
      if (place % mixingBytesPerStep === 0) yield 0;
    }
  }
  return bits.end();
}

/** Encodes the texts of a link. */
export const mixingEncoder: TextPacker = { limit: mixingLimit, encode };
