/**
 * Checks the arguments that an author passes to a strategy. Each error says what is wrong, with which value, and what to write
 * instead.
 */
import { formatNameSuggestion, unknownKey } from "../../base/known-keys.ts";
import { isRecord } from "../../base/record.ts";
import { showJson } from "../../base/show.ts";
import { isStrategy, type Strategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";

/** The text of a value in a message, as its author would write it. */
export function showValue(value: unknown): string {
  return isStrategy(value) ? `${value.kind}(…)` : showJson(value);
}

/** Checks a text, which must not have lone surrogates, since UTF-8 cannot write them. */
export function checkText(strategy: string, where: string, value: unknown): string {
  if (typeof value !== "string") {
    throw new StrategyError(strategy, where, `${showValue(value)} is not a string: write a string.`);
  }
  if (/\p{Surrogate}/u.test(value)) {
    throw new StrategyError(
      strategy,
      where,
      `${showValue(value)} has half of a surrogate pair, which no text can contain: write the whole character.`,
    );
  }
  return value;
}

/** Checks a text of at least one character. `instead` completes "…: ". */
export function checkNonEmptyText(strategy: string, where: string, value: unknown, instead: string): string {
  const text = checkText(strategy, where, value);
  if (text === "") throw new StrategyError(strategy, where, `the text is empty: ${instead}`);
  return text;
}

interface CountRule {
  readonly least: number;
  /** Infinity is allowed. */
  readonly mayBeInfinite?: boolean;
}

/** Checks a whole number. */
export function checkCount(
  strategy: string,
  name: string,
  value: unknown,
  { least, mayBeInfinite = false }: CountRule,
): number {
  const fits =
    typeof value === "number" &&
    value >= least &&
    (Number.isSafeInteger(value) || (mayBeInfinite && value === Number.POSITIVE_INFINITY));
  if (fits) return value;
  const instead = `write a whole number of at least ${least}${mayBeInfinite ? ", or leave it out for no limit" : ""}.`;
  throw new StrategyError(strategy, name, `${showValue(value)} is not allowed: ${instead}`);
}

export function checkRange(strategy: string, min: number, max: number): void {
  if (min <= max) return;
  throw new StrategyError(strategy, "min", `${min} is more than max, ${max}: write a min of at most ${max}.`);
}

/** Checks that an object has only these keys, since a misspelled option would have no effect. */
export function checkOptions(strategy: string, options: unknown, known: readonly string[]): void {
  const written = `write ${strategy}'s options as an object: { ${known.join(", ")} }.`;
  if (!isRecord(options)) {
    throw new StrategyError(strategy, "options", `${showValue(options)} is not an object: ${written}`);
  }
  const key = unknownKey(options, known);
  if (key === undefined) return;
  throw new StrategyError(strategy, key, `there is no such option. ${formatNameSuggestion(key, known)}`);
}

/** Checks a strategy, or a text that stands for itself. */
export function checkPart(strategy: string, where: string, value: unknown): Strategy | string {
  if (typeof value === "string") return checkText(strategy, where, value);
  return checkStrategy(strategy, where, value, "a strategy or a string");
}

export function checkStrategy(
  strategy: string,
  where: string,
  value: unknown,
  wanted = "a strategy",
): Strategy {
  if (isStrategy(value)) return value;
  throw new StrategyError(
    strategy,
    where,
    `${showValue(value)} is not ${wanted}: use choices(…), chars(…), regex(…) or another function of midtoken/strategies.`,
  );
}
