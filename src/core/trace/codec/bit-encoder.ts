/** Arithmetic encoder: turns bits into the bytes that `bit-decoder.ts` reads. */
import { splitInterval } from "./bit-decoder.ts";

export interface BitEncoder {
  /** @param chance the probability that the bit is 1, in 65536ths, neither 0 nor 65,536. */
  write(bit: number, chance: number): void;
  end(): Uint8Array<ArrayBuffer>;
}

export function createBitEncoder(): BitEncoder {
  const out: number[] = [];
  let low = 0;
  let high = 0xffff_ffff;
  return {
    write(bit, chance) {
      const middle = splitInterval(low, high, chance);
      if (bit === 1) high = middle;
      else low = middle + 1;
      while (((low ^ high) & 0xff00_0000) === 0) {
        out.push(high >>> 24);
        low = (low << 8) >>> 0;
        high = ((high << 8) | 255) >>> 0;
      }
    },
    end() {
      // The decoder reads zeros after the last byte. So one more byte is enough to write a number in the interval; no byte is
      // needed if the interval begins at 0.
      if (low > 0) out.push((low >>> 24) + 1);
      return Uint8Array.from(out);
    },
  };
}
