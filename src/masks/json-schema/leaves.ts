/** What normalization asks about patterns, formats, strings and numbers. */
import { parseRegex, type RegexNode } from "../regex/regex.ts";
import { StrategyError } from "../strategy-error.ts";
import { knownFormats } from "./formats.ts";
import type { NumberAlternative, StringAlternative } from "./normal-form.ts";
import { isStringPossible as isSomeString, matchesString } from "./string.ts";

export { matchesString };

export const anyString: StringAlternative = {
  type: "string",
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  patterns: [],
  notPatterns: [],
  formats: [],
  notFormats: [],
  except: [],
};

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
  return matchesString({ ...anyString, patterns: [pattern] }, text);
}

export function knowsFormat(format: string): boolean {
  return knownFormats.has(format);
}

export function matchesFormat(format: string, text: string): boolean {
  return matchesString({ ...anyString, formats: [format] }, text);
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

const possible = new Map<string, boolean>();
/** Answers kept at once. */
const MOST_ANSWERS = 1_000;

/** True when some string is valid for it: without a search wherever that can be seen. */
export function isStringPossible(asked: StringAlternative): boolean {
  if (asked.minLength > asked.maxLength) return false;
  if (isSeenPossible(asked)) return true;
  const key = JSON.stringify({ ...asked, maxLength: String(asked.maxLength) });
  const known = possible.get(key);
  if (known !== undefined) return known;
  if (possible.size >= MOST_ANSWERS) possible.clear();
  const answer = isSomeString(asked);
  possible.set(key, answer);
  return answer;
}

function isSeenPossible({ minLength, maxLength, ...asked }: StringAlternative): boolean {
  const { patterns, formats } = asked;
  if (asked.notPatterns.length + asked.notFormats.length > 0) return false;
  // There are more strings of any length than can be excepted.
  if (patterns.length + formats.length === 0) return maxLength > 0 || asked.except.length === 0;
  if (asked.except.length > 0 || patterns.length + formats.length > 1) return false;
  const [pattern] = patterns;
  if (pattern === undefined) return minLength === 0 && maxLength === Number.POSITIVE_INFINITY;
  const shortest = shortestMatch(withoutOuterAnchors(parseRegex(pattern)));
  return shortest !== null && minLength <= shortest && shortest <= maxLength;
}

/** Only those that every match begins or ends with: they change nothing about whether there is one. */
function withoutOuterAnchors(node: RegexNode): RegexNode {
  if (node.kind !== "sequence") return node;
  const from = node.items.findIndex(({ kind }) => kind !== "start");
  const to = node.items.findLastIndex(({ kind }) => kind !== "end");
  return { kind: "sequence", items: node.items.slice(Math.max(0, from), to + 1) };
}

/** Length of a short match, in code points; null: it is not simple enough to tell. */
function shortestMatch(node: RegexNode): number | null {
  switch (node.kind) {
    case "empty":
      return 0;
    case "set":
      return node.set.length > 0 ? 1 : null;
    case "sequence": {
      const lengths = node.items.map(shortestMatch);
      return lengths.reduce((sum, length) => (sum === null || length === null ? null : sum + length), 0);
    }
    case "alternation": {
      const lengths = node.items.map(shortestMatch).filter((length) => length !== null);
      return lengths.length > 0 ? Math.min(...lengths) : null;
    }
    case "repeat": {
      const length = node.min === 0 ? 0 : shortestMatch(node.body);
      return length === null ? null : length * node.min;
    }
    default:
      return null;
  }
}
