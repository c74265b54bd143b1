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
  let [rest, places] = [digits, scale];
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
  const [first, second] = [scaled(a, scale), scaled(b, scale)];
  let [x, y] = [first, second];
  while (y !== 0n) [x, y] = [y, x % y];
  return reduce((first / x) * second, scale);
}

/** The largest integer n with n / 10^scale at most `value`. */
export function floorAt(value: Decimal, scale: number): bigint {
  if (value.scale <= scale) return scaled(value, scale);
  const unit = 10n ** BigInt(value.scale - scale);
  const quotient = value.digits / unit;
  return value.digits < 0n && value.digits % unit !== 0n ? quotient - 1n : quotient;
}

/** The smallest integer n with n / 10^scale at least `value`. */
export function ceilingAt(value: Decimal, scale: number): bigint {
  return -floorAt({ digits: -value.digits, scale: value.scale }, scale);
}

/** Digits before the point ("0" when there are none) and after it, of a decimal that is not negative. */
export function spell({ digits, scale }: Decimal): { readonly whole: string; readonly fraction: string } {
  const text = digits.toString().padStart(scale + 1, "0");
  return { whole: text.slice(0, text.length - scale), fraction: text.slice(text.length - scale) };
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
