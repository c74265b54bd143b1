/**
 * Arithmetic decoder: turns the bytes of `bit-encoder.ts` back into bits. A bit that was predicted with high probability takes
 * little space. All arithmetic uses whole numbers, so that every JavaScript engine computes the same bits. Do not change it:
 * existing links were written with it.
 */

/** The point that divides the interval from `low` to `high`: the lower part stands for a 1, the upper part for a 0. */
export function splitInterval(low: number, high: number, chance: number): number {
  const range = high - low;
  const upper = Math.floor(range / 65_536);
  return low + upper * chance + Math.floor(((range % 65_536) * chance) / 65_536);
}

export interface BitDecoder {
  /** @param chance the `chance` that the encoder was given for this bit. */
  read(chance: number): number;
  /** Returns true if unread bytes are left. */
  hasRest(): boolean;
}

export function createBitDecoder(bytes: Uint8Array): BitDecoder {
  let low = 0;
  let high = 0xffff_ffff;
  let next = 0;
  let code = 0;
  const take = () => {
    code = ((code << 8) | (bytes[next] ?? 0)) >>> 0;
    next += 1;
  };
  for (let place = 0; place < 4; place += 1) take();
  return {
    read(chance) {
      const middle = splitInterval(low, high, chance);
      const bit = code <= middle ? 1 : 0;
      if (bit === 1) high = middle;
      else low = middle + 1;
      while (((low ^ high) & 0xff00_0000) === 0) {
        take();
        low = (low << 8) >>> 0;
        high = ((high << 8) | 255) >>> 0;
      }
      return bit;
    },
    hasRest: () => next < bytes.length,
  };
}
