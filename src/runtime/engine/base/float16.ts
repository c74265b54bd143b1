/** IEEE half precision, for browsers without Float16Array. */

let table: Float32Array | null = null;

function decode(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Converts to float32 with a table of all 65,536 values. */
export function float16ToFloat32(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, half) => decode(half));
  const result = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) result[i] = table[halves[i] as number] as number;
  return result;
}

/** Rounds to the nearest float16 number, ties to even. Numbers that are too large become infinite. */
export function float32ToFloat16(floats: Float32Array): Uint16Array {
  return Uint16Array.from(floats, (value) => {
    const size = Math.abs(value);
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    if (Number.isNaN(value)) return 0x7e00;
    if (size >= 65_520) return sign | 0x7c00;
    // Subnormal halves all have the same distance.
    const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
    const step = 2 ** (exponent - 10);
    const scaled = size / step;
    const down = Math.floor(scaled);
    const rest = scaled - down;
    const rounded = down + (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? 1 : 0);
    // If rounding carries into the exponent, the bits are still those of the next number.
    return sign | (((exponent + 14) << 10) + rounded);
  });
}
