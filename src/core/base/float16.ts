/** Float16 numbers (IEEE 754 binary16): converts numbers to their bits and back, and tests whether a number is a float16. */

/** The number with these 16 bits. */
export function fromFloat16Bits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The largest float16 number. */
const largest = 65_504;

const scratch = new DataView(new ArrayBuffer(4));

/**
 * Rounds to the nearest float16 number; ties go to the number whose last bit is 0. Larger numbers become the largest float16.
 */
export function roundToFloat16(number: number): number {
  if (Number.isNaN(number)) return number;
  const size = Math.min(Math.abs(number), largest);
  // The distance between neighbours: 2^-24 below 2^-14, else 2^-10 times the power of two below the number.
  const step = size < 2 ** -14 ? 2 ** -24 : 2 ** (exponentOf(size) - 10);
  const rounded = Math.min(roundToEven(size / step) * step, largest);
  return number < 0 || Object.is(number, -0) ? -rounded : rounded;
}

/** The bits of a float16 number. For any other number the result is wrong, so check `isFloat16` first. */
export function toFloat16Bits(number: number): number {
  const size = Math.abs(number);
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = exponentOf(size);
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

export function isFloat16(number: number): boolean {
  return Object.is(roundToFloat16(number), number);
}

/** The power of two at or below a normal, non-negative float32 number. */
function exponentOf(size: number): number {
  scratch.setFloat32(0, size);
  return (scratch.getUint32(0) >>> 23) - 127;
}

function roundToEven(number: number): number {
  const below = Math.floor(number);
  const over = number - below;
  return over > 0.5 || (over === 0.5 && below % 2 === 1) ? below + 1 : below;
}
