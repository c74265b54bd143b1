/** What normalization asks about patterns, formats, strings and numbers. */
import { parseRegex } from "../regex/regex.ts";
import { StrategyError } from "../strategy-error.ts";
import { lengthOf } from "./json-value.ts";
import type { NumberAlternative, StringAlternative } from "./normal-form.ts";

/** Why a pattern cannot be used; null where it can. */
export function patternProblem(pattern: string): string | null {
  try {
    parseRegex(pattern);
    return null;
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    return `${JSON.stringify(pattern)}, ${error.where}: ${error.reason}`;
  }
}

export function matchesPattern(pattern: string, text: string): boolean {
  return new RegExp(pattern, "u").test(text);
}

export function knowsFormat(_format: string): boolean {
  return false;
}

export function matchesFormat(_format: string, _text: string): boolean {
  return true;
}

/** The decimal digits of a finite number, as they are printed: value = digits * 10 ** exponent. */
function decimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const a = decimal(value);
  const b = decimal(divisor);
  const shift = a.exponent - b.exponent;
  return shift >= 0
    ? (a.digits * 10n ** BigInt(shift)) % b.digits === 0n
    : a.digits % (b.digits * 10n ** BigInt(-shift)) === 0n;
}

export function isNumberPossible(asked: NumberAlternative): boolean {
  const { minimum, maximum } = asked;
  if (minimum > maximum) return false;
  if (minimum === maximum) return matchesNumber(asked, minimum);
  if (asked.notMultipleOf.includes(1) && asked.integer) return false;
  const whole = [...asked.multipleOf, ...(asked.integer ? [1] : [])];
  if (whole.length === 0) return true;
  const step = Math.max(...whole);
  const first = Math.ceil(minimum / step);
  if (!Number.isFinite(first) || maximum / step - first > 1_000) return true;
  for (let factor = first; factor * step <= maximum; factor++) {
    if (matchesNumber(asked, factor * step)) return true;
  }
  return false;
}

export function matchesNumber(asked: NumberAlternative, value: number): boolean {
  const { minimum, maximum } = asked;
  return (
    (asked.exclusiveMinimum ? value > minimum : value >= minimum) &&
    (asked.exclusiveMaximum ? value < maximum : value <= maximum) &&
    (!asked.integer || Number.isInteger(value)) &&
    asked.multipleOf.every((divisor) => isMultipleOf(value, divisor)) &&
    !asked.notMultipleOf.some((divisor) => isMultipleOf(value, divisor)) &&
    !asked.except.includes(value)
  );
}

export function isStringPossible(asked: StringAlternative): boolean {
  return asked.minLength <= asked.maxLength;
}

export function matchesString(asked: StringAlternative, value: string): boolean {
  const length = lengthOf(value);
  return (
    length >= asked.minLength &&
    length <= asked.maxLength &&
    asked.patterns.every((pattern) => matchesPattern(pattern, value)) &&
    !asked.notPatterns.some((pattern) => matchesPattern(pattern, value)) &&
    asked.formats.every((format) => matchesFormat(format, value)) &&
    !asked.notFormats.some((format) => matchesFormat(format, value)) &&
    !asked.except.includes(value)
  );
}
