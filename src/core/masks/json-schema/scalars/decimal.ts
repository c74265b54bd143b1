/** Exact decimals: a number in a schema means its shortest decimal spelling, not the binary fraction that represents it. */

/** Most digits that every double keeps: a decimal with no more is what its double is written as. */
export const EXACT_DIGITS = 15;

/** digits / 10^scale; scale is at least 0 and as small as can be. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** @param value finite */
export function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? reduce(digits, scale) : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Without zeros at the end of the fraction. */
function reduce(digits: bigint, scale: number): Decimal {
  let rest = digits;
  let places = scale;
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n;
    places--;
  }
  return { digits: rest, scale: places };
}

/** digits of `value` at the given scale, which must not be smaller than its own. */
export function scaled(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}

export function isMultiple(value: Decimal, of: Decimal): boolean {
  const scale = Math.max(value.scale, of.scale);
  return scaled(value, scale) % scaled(of, scale) === 0n;
}

/** The smallest positive decimal that is a multiple of both. */
export function leastCommonMultiple(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const first = scaled(a, scale);
  const second = scaled(b, scale);
  return reduce((first / greatestCommonDivisor(first, second)) * second, scale);
}

/** The greatest common divisor. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** A number that is not negative, without an exponent: digits, and a point and digits if it is no integer. */
export function plainDigits(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const { digits, scale } = decimalOf(value);
  const all = digits.toString().padStart(scale + 1, "0");
  return scale === 0 ? all : `${all.slice(0, -scale)}.${all.slice(-scale)}`;
}

/** The next double after a finite one. */
export function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const float = new Float64Array([value]);
  const bits = new BigInt64Array(float.buffer);
  bits[0] = (bits[0] as bigint) + (value > 0 ? 1n : -1n);
  return float[0] as number;
}

/** The double before a finite one. */
export function nextDown(value: number): number {
  return -nextUp(-value);
}
