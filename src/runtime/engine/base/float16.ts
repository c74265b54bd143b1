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

/** The numbers as float32, by a table of all 65,536 values. */
export function float16ToFloat32(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, half) => decode(half));
  const result = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) result[i] = table[halves[i] as number] as number;
  return result;
}

/** The nearest float16 number; ties go to the even one. Numbers that are too large become infinite. */
export function float32ToFloat16(floats: Float32Array): Uint16Array {
  return Uint16Array.from(floats, (value) => {
    const size = Math.abs(value);
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    if (Number.isNaN(value)) return 0x7e00;
    if (size >= 65_520) return sign | 0x7c00;
    // Below the smallest normal half all steps are equal.
    const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
    const step = 2 ** (exponent - 10);
    const scaled = size / step;
    const down = Math.floor(scaled);
    const rest = scaled - down;
    const rounded = down + (rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? 1 : 0);
    // A carry into the exponent is correct too: the bits of the next number follow.
    return sign | (((exponent + 14) << 10) + rounded);
  });
}
