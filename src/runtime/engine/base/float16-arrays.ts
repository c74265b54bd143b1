/** Arrays of float16 numbers (IEEE 754 binary16), for browsers without Float16Array. */
import { fromFloat16Bits, roundToFloat16, toFloat16Bits } from "../../../core/base/float16.ts";

let table: Float32Array | null = null;

/** Converts to float32 with a table of all 65,536 values. */
export function float16ToFloat32(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, half) => fromFloat16Bits(half));
  const result = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) result[i] = table[halves[i] as number] as number;
  return result;
}

/** From this number on, rounding gives infinity: halfway between the largest float16 number and the next one, which does not exist. */
const overflow = 65_520;

/** Rounds to the nearest float16 number, ties to even. Numbers that are too large become infinite. */
export function float32ToFloat16(floats: Float32Array): Uint16Array {
  return Uint16Array.from(floats, (value) => {
    if (Number.isNaN(value)) return 0x7e00;
    if (Math.abs(value) >= overflow) return value < 0 ? 0xfc00 : 0x7c00;
    return toFloat16Bits(roundToFloat16(value));
  });
}
