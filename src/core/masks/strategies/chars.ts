import type { Expression, Expressions } from "../automaton/expression.ts";
import { parseRegex, regexExpression } from "../regex/regex.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkCount, checkNonEmptyText, checkOptions, checkRange, showValue } from "./arguments.ts";

export type CharsKind = "letters" | "alphanumerics" | "digits" | "number" | "string";

export interface CharsOptions {
  /** The fewest characters; 0 by default. */
  readonly min?: number;
  /** The most characters; no limit by default. */
  readonly max?: number;
  /**
   * The text that ends the characters. It is not part of the answer. Without it, the answer may end after `min` characters.
   */
  readonly stop?: string;
}

/**
 * The regular expression of one character of each kind. For `string`, as in RFC 8259 section 7: a character, or one escape
 * (a surrogate pair counts once).
 */
const oneCharacter: Readonly<Record<CharsKind, string>> = {
  letters: "\\p{L}",
  alphanumerics: "[\\p{L}0-9]",
  digits: "[0-9]",
  number: "[-+.0-9eE]",
  string:
    '[^"\\\\\\u0000-\\u001f\\ud800-\\udfff]|\\\\(?:["\\\\/bfnrt]|u(?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2}' +
    "|[Dd][89ABab][0-9A-Fa-f]{2}\\\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}))",
};

/** RFC 8259 section 6. */
const jsonNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?";

const kinds = Object.keys(oneCharacter).map((kind) => JSON.stringify(kind));

/**
 * Characters of one kind, from `min` to `max` of them:
 * - `"letters"`: letters of any script (Unicode's general category L);
 * - `"digits"`: 0 to 9; `"alphanumerics"`: letters and digits as above;
 * - `"number"`: one JSON number (so never `--1`, `1e` or `1.5.2`); `min` and `max` count its characters;
 * - `"string"`: the inside of a JSON string; an escape counts as one character. The answer keeps its escapes.
 *
 * The first `stop` ends it: where the stop could be among the characters, it is not (in a `"string"`, an escape is never
 * taken apart: `\"` does not end what stops at `"`).
 *
 * @example
 * const year = chars("digits", { min: 4, max: 4 });
 * const name = chars("letters", { min: 1, max: 20, stop: "\n" });
 *
 * @throws StrategyError for an unknown kind or option, and for a `min` above `max`.
 */
export function chars(kind: CharsKind, options: CharsOptions = {}): Strategy {
  if (!Object.hasOwn(oneCharacter, kind)) {
    throw new StrategyError(
      "chars",
      "kind",
      `${showValue(kind)} is not a kind of character: write one of ${kinds.join(", ")}.`,
    );
  }
  checkOptions("chars", options, ["min", "max", "stop"]);
  const min = checkCount("chars", "min", options.min ?? 0, { least: 0 });
  const max = checkCount("chars", "max", options.max ?? Number.POSITIVE_INFINITY, {
    least: 1,
    mayBeInfinite: true,
  });
  checkRange("chars", min, max);
  const body = (expressions: Expressions) => charactersOf(expressions, kind, min, max);
  const { stop } = options;
  if (stop === undefined) return createStrategy({ kind: "chars", build: body, answerOf: wholeTextAsAnswer });
  checkNonEmptyText("chars", "stop", stop, "write the text that ends the answer, or leave stop out.");
  return createStrategy(
    {
      kind: "chars",
      build: (expressions) => upToStop(expressions, kind, body(expressions), stop),
      answerOf: (text) => (text.endsWith(stop) ? text.slice(0, -stop.length) : text),
    },
    { text: stop, body: (expressions) => withoutStop(expressions, kind, body(expressions), stop) },
  );
}

function pattern(expressions: Expressions, source: string): Expression {
  return regexExpression(expressions, parseRegex(source, "u"), { anchored: true });
}

function charactersOf(expressions: Expressions, kind: CharsKind, min: number, max: number): Expression {
  if (kind !== "number") return expressions.repeat(pattern(expressions, oneCharacter[kind]), min, max);
  const number = pattern(expressions, jsonNumber);
  if (min <= 1 && max === Number.POSITIVE_INFINITY) return number;
  return expressions.intersection(number, expressions.repeat(expressions.byte(0, 255), min, max));
}

/** The texts of `body` followed by `stop`, without those in which `stop` comes earlier. */
function upToStop(expressions: Expressions, kind: CharsKind, body: Expression, stop: string): Expression {
  const whole = expressions.sequence(body, expressions.literal(stop));
  if (!mayContain(kind, stop)) return whole;
  const early = expressions.sequence(
    endingWithStop(expressions, kind, stop),
    expressions.byte(0, 255),
    expressions.anything,
  );
  return expressions.difference(whole, early);
}

/** The texts of `body` that do not contain `stop`. */
function withoutStop(expressions: Expressions, kind: CharsKind, body: Expression, stop: string): Expression {
  if (!mayContain(kind, stop)) return body;
  return expressions.difference(
    body,
    expressions.sequence(endingWithStop(expressions, kind, stop), expressions.anything),
  );
}

/**
 * Characters of the kind, then `stop`. Such a stop begins where a character begins, and so never inside an escape: in
 * `\"x`, the quotation mark is no stop.
 */
function endingWithStop(expressions: Expressions, kind: CharsKind, stop: string): Expression {
  return expressions.sequence(
    expressions.repeat(pattern(expressions, oneCharacter[kind]), 0, Number.POSITIVE_INFINITY),
    expressions.literal(stop),
  );
}

function mayContain(kind: CharsKind, stop: string): boolean {
  const first = String.fromCodePoint(stop.codePointAt(0) ?? 0);
  const isCharacter = new RegExp(`^(?:${oneCharacter[kind]})$`, "u").test(first);
  return isCharacter || (kind === "string" && first === "\\");
}
