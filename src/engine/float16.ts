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

/** The same numbers as float32, by a table of all 65,536. */
export function float16ToFloat32(halves: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, half) => decode(half));
  const result = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) result[i] = table[halves[i] as number] as number;
  return result;
}
