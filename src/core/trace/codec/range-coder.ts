/**
 * Unpacks bytes that `range-encoder.ts` packed, with an adaptive model: each bit is coded with the probability that its
 * context has shown so far. No tables are stored, so the coder suits columns of a few hundred small numbers. All arithmetic
 * uses whole numbers, so that every JavaScript engine computes the same bits. Do not change it: existing links were written
 * with it.
 */
import { TraceError } from "../format/trace-error.ts";
import { type BitDecoder, createBitDecoder } from "./bit-decoder.ts";

/** The number of bytes before a byte that are its context. */
export type ContextOrder = 0 | 1 | 2;

/** How far a probability moves towards the bit just seen, at its n-th use, in 65536ths: 1/2, 1/3, … down to 1/40. */
const rates = Uint16Array.from({ length: 39 }, (_, use) => Math.floor(65_536 / (use + 2)));
const lowest = 48;
const highest = 65_536 - 48;

/** The probabilities of one context, for each of the 255 nodes in the binary tree of a byte's bits. */
export interface ByteContext {
  /** The probability that the next bit is 1, in 65536ths. */
  readonly chance: Uint16Array;
  readonly uses: Uint8Array;
}

/** Contexts by number, made at their first use. */
export type ByteContexts = Map<number, ByteContext>;

/** The context for a byte of a column after the last `order` bytes. */
export function getOrCreateByteContext(
  contexts: ByteContexts,
  order: ContextOrder,
  column: number,
  last: number,
  secondLast: number,
): ByteContext {
  let history = order === 0 ? 0 : last;
  if (order === 2) history = last * 256 + secondLast;
  const number = column * 65_536 + history;
  let context = contexts.get(number);
  if (!context) {
    context = { chance: new Uint16Array(256).fill(32_768), uses: new Uint8Array(256) };
    contexts.set(number, context);
  }
  return context;
}

export function updateBitChance({ chance, uses }: ByteContext, node: number, bit: number): void {
  const use = uses[node] ?? 0;
  const before = chance[node] ?? 32_768;
  const error = (bit === 1 ? 65_535 : 0) - before;
  const after = before + Math.trunc((error * (rates[use] ?? 0)) / 65_536);
  chance[node] = Math.min(Math.max(after, lowest), highest);
  if (use < rates.length - 1) uses[node] = use + 1;
}

/**
 * Decodes the columns that `rangeEncode` wrote. The time depends on `lengths` alone, not on the bytes: the caller limits their
 * sum.
 * @throws TraceError when bytes are left over.
 */
export function rangeDecode(
  bytes: Uint8Array,
  lengths: readonly number[],
  order: ContextOrder,
): Uint8Array[] {
  const contexts: ByteContexts = new Map();
  const bits = createBitDecoder(bytes);
  const columns = lengths.map((length, column) => {
    const result = new Uint8Array(length);
    let last = 0;
    let secondLast = 0;
    for (let index = 0; index < length; index += 1) {
      const context = getOrCreateByteContext(contexts, order, column, last, secondLast);
      let node = 1;
      while (node < 256) {
        const bit = bits.read(context.chance[node] ?? 32_768);
        updateBitChance(context, node, bit);
        node = node * 2 + bit;
      }
      result[index] = node & 255;
      secondLast = last;
      last = node & 255;
    }
    return result;
  });
  refuseLeftoverBytes(bits);
  return columns;
}

/** Refuses leftover bytes. @throws TraceError when bytes are left over. */
export function refuseLeftoverBytes(bits: BitDecoder): void {
  if (bits.hasRest()) throw new TraceError("The trace is damaged: a section has extra bytes at its end.");
}
