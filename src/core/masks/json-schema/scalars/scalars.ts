/** Checks patterns, formats, strings and numbers for `normalize`. */
import { parsePatternConditions } from "../../regex/regex.ts";
import { StrategyError } from "../../strategy-error.ts";
import type { NumberAlternative, StringAlternative } from "../normal-form.ts";
import { divisorOfAllValues } from "./number.ts";
import { matchesString } from "./string.ts";

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

/** Why a pattern cannot be used; null if it can. */
export function patternProblem(pattern: string): string | null {
  try {
    parsePatternConditions(pattern);
    return null;
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    return `${JSON.stringify(pattern)}, ${error.where}: ${error.reason}`;
  }
}

export function matchesPattern(pattern: string, text: string): boolean {
  return matchesString({ ...anyString, patterns: [pattern] }, text);
}

export function matchesFormat(format: string, text: string): boolean {
  return matchesString({ ...anyString, formats: [format] }, text);
}

export const anyNumber: NumberAlternative = {
  type: "number",
  integer: false,
  minimum: Number.NEGATIVE_INFINITY,
  exclusiveMinimum: false,
  maximum: Number.POSITIVE_INFINITY,
  exclusiveMaximum: false,
  multipleOf: [],
  notMultipleOf: [],
  except: [],
};

/** Why a divisor cannot be used; null if it can. */
export function divisorProblem(divisor: number): string | null {
  try {
    divisorOfAllValues({ ...anyNumber, multipleOf: [divisor] });
    return null;
  } catch (error) {
    if (error instanceof StrategyError) return error.reason;
    throw error;
  }
}
