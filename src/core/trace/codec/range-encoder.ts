/** The writing half of `range-coder.ts`. */
import { createBitEncoder } from "./bit-encoder.ts";
import {
  type ByteContexts,
  type ContextOrder,
  getOrCreateByteContext,
  updateBitChance,
} from "./range-coder.ts";

/** Encodes the columns one after another. The lengths are not coded: `rangeDecode` gets the lengths from its caller. */
export function rangeEncode(columns: readonly Uint8Array[], order: ContextOrder): Uint8Array<ArrayBuffer> {
  const contexts: ByteContexts = new Map();
  const bits = createBitEncoder();
  columns.forEach((bytes, column) => {
    let last = 0;
    let secondLast = 0;
    for (const byte of bytes) {
      const context = getOrCreateByteContext(contexts, order, column, last, secondLast);
      let node = 1;
      for (let place = 7; place >= 0; place -= 1) {
        const bit = (byte >> place) & 1;
        bits.write(bit, context.chance[node] ?? 32_768);
        updateBitChance(context, node, bit);
        node = node * 2 + bit;
      }
      secondLast = last;
      last = byte;
    }
  });
  return bits.end();
}
