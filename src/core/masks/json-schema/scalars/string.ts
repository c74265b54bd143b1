/** Strings of JSON: what may stand between the quotes. */
import { Derivatives } from "../../automaton/derivative.ts";
import { afterByte } from "../../automaton/distinct.ts";
import { type Expression, Expressions } from "../../automaton/expression.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { prefixTree } from "../../automaton/prefix-tree.ts";
import { encodeUtf8 } from "../../automaton/utf8.ts";
import { allCodePoints } from "../../regex/code-points.ts";
import { anyOfSet, type CompiledRegex, compileRegex, parsePatternConditions } from "../../regex/regex.ts";
import type { StringAlternative } from "../normal-form.ts";
import { enumFormatText, everyFormatText, formatRegex, isRegex } from "./formats.ts";
import { canonicalJsonAlphabet, jsonCharacter, jsonStringContent } from "./string-alphabet.ts";

/**
 * The content of the strings that are valid for the alternative, without the quotes, escaped as RFC 8259 says.
 *
 * Where only the length is asked for, every spelling is allowed: a character as itself or by any of its escapes. Patterns,
 * formats and what is excepted are laid over the spelling of JSON.stringify alone (a character as itself where JSON allows it,
 * else its short escape, else \u00xx): this narrows how a value may be written, never which values there are.
 * Lone surrogates cannot be written.
 * @param isCanonical the spelling of JSON.stringify alone also where only the length is asked for: one text for each value.
 * @throws StrategyError ("regex") when a pattern is not understood; ConstraintLimitError
 */
export function stringContent(
  expressions: Expressions,
  alternative: StringAlternative,
  isCanonical = false,
): Expression {
  const { minLength, maxLength } = alternative;
  if (isPlain(alternative)) {
    const any = isCanonical
      ? anyOfSet(expressions, canonicalJsonAlphabet, allCodePoints)
      : jsonCharacter(expressions);
    return expressions.repeat(any, minLength, maxLength);
  }
  const wanted = [
    ...alternative.patterns.map((pattern) => searched(expressions, pattern)),
    ...alternative.formats.map((format) => formatRegex(expressions, format, canonicalJsonAlphabet)),
  ];
  const unwanted = [
    ...alternative.notPatterns.map((pattern) => searched(expressions, pattern).expression),
    ...alternative.notFormats.map((format) => everyFormatText(expressions, format, canonicalJsonAlphabet)),
    ...(alternative.except.length > 0 ? [excepted(expressions, alternative.except)] : []),
  ];
  const isTooShort = wanted.some((part) => part.maxLength < minLength);
  if (isTooShort || wanted.some((part) => part.minLength > maxLength)) return expressions.nothing;
  const isLengthKnown = wanted.some((part) => part.minLength >= minLength && part.maxLength <= maxLength);
  const isFormed = wanted.some(({ isOpen }) => !isOpen);
  const any = anyOfSet(expressions, canonicalJsonAlphabet, allCodePoints);
  return expressions.intersection(
    ...(isLengthKnown && isFormed ? [] : [expressions.repeat(any, minLength, maxLength)]),
    ...wanted.map(({ expression }) => expression),
    ...unwanted.map((expression) => expressions.complement(expression)),
  );
}

function excepted(expressions: Expressions, values: readonly string[]): Expression {
  return prefixTree(
    expressions,
    values.map((value) => encodeUtf8(jsonStringContent(value))),
  );
}

/** Whether the string is valid for the alternative. @throws as stringContent does */
export function matchesString(alternative: StringAlternative, value: string): boolean {
  const length = [...value].length;
  if (length < alternative.minLength || length > alternative.maxLength) return false;
  if (alternative.except.includes(value)) return false;
  const { patterns, notPatterns, formats, notFormats } = alternative;
  return (
    patterns.every((pattern) => hasPattern(value, pattern)) &&
    formats.every((format) => hasFormat(value, format)) &&
    !notPatterns.some((pattern) => hasPattern(value, pattern)) &&
    !notFormats.some((format) => hasFormat(value, format))
  );
}

/** Whether the alternative restricts only the length. */
function isPlain({ patterns, notPatterns, formats, notFormats, except }: StringAlternative): boolean {
  return [patterns, notPatterns, formats, notFormats, except].every((list) => list.length === 0);
}

function searched(expressions: Expressions, pattern: string): CompiledRegex {
  const parts = parsePatternConditions(pattern);
  const wanted: CompiledRegex[] = [];
  const unwanted: Expression[] = [];
  for (const { node, isWanted } of parts) {
    const part = compileRegex(expressions, node, { anchored: false, alphabet: canonicalJsonAlphabet });
    if (isWanted) wanted.push(part);
    else unwanted.push(expressions.complement(part.expression));
  }
  return {
    expression: expressions.intersection(...wanted.map(({ expression }) => expression), ...unwanted),
    minLength: Math.max(...wanted.map(({ minLength }) => minLength)),
    maxLength: Math.min(...wanted.map(({ maxLength }) => maxLength)),
    isOpen: wanted.every(({ isOpen }) => isOpen),
  };
}

interface Matcher {
  readonly expressions: Expressions;
  readonly derivatives: Derivatives;
  readonly expression: Expression;
}

const patternMatchers = new Map<string, Matcher>();
/** Most cached matchers of patterns. */
const MOST_MATCHERS = 50;

/** The matchers of formats are kept: a format has few states, so no text comes near the limit on the work of a match. */
const formatMatchers = new Map<string, Matcher>();
/** A format's matcher with more expressions than this is made anew. */
const MOST_EXPRESSIONS = 20_000;

/** Called before a schema is read: the limits on the work of a match then do not depend on earlier schemas. */
export function forgetPatternMatchers(): void {
  patternMatchers.clear();
}

function hasPattern(value: string, pattern: string): boolean {
  if (!patternMatchers.has(pattern) && patternMatchers.size >= MOST_MATCHERS) patternMatchers.clear();
  const language = (expressions: Expressions) => searched(expressions, pattern).expression;
  return matches(
    value,
    getOrCreate(patternMatchers, pattern, () => makeMatcher(language)),
  );
}

function hasFormat(value: string, format: string): boolean {
  if (format === "regex") return isRegex(value);
  const size = formatMatchers.get(format)?.expressions.size ?? 0;
  if (size > MOST_EXPRESSIONS) formatMatchers.delete(format);
  const language = (expressions: Expressions) => enumFormatText(expressions, format, canonicalJsonAlphabet);
  return matches(
    value,
    getOrCreate(formatMatchers, format, () => makeMatcher(language)),
  );
}

/** Whether the matcher's language contains the value's JSON text. */
function matches(value: string, { expressions, derivatives, expression }: Matcher): boolean {
  expressions.begin();
  let rest = expression;
  for (const byte of encodeUtf8(jsonStringContent(value))) {
    rest = afterByte(expressions, derivatives, rest, byte);
  }
  return derivatives.isNullable(rest);
}

function makeMatcher(language: (expressions: Expressions) => Expression): Matcher {
  const expressions = new Expressions();
  return { expressions, derivatives: new Derivatives(expressions), expression: language(expressions) };
}
