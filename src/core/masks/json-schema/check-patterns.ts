/**
 * Refuses patterns that take too much work when the strategy is made, with their path: otherwise an answer would end with an error
 * in its middle. The check walks some texts through the automaton of each pattern that looks large (check-work.ts).
 */
import { checkWork } from "../automaton/check-work.ts";
import type { Expression, Expressions } from "../automaton/expression.ts";
import { emitSchema } from "./emit/emit.ts";
import { normalizeSchema } from "./normalize/normalize.ts";
import { pointerStep } from "./read/resolve.ts";

/** A pattern is checked if it repeats something this often, or if its string must be this long. */
const MANY_TIMES = 100;
const LONG = 1_000;

/** Pattern properties are checked if there are this many, or two of which one repeats something 30 times. */
const MANY_PATTERNS = 5;
const OFTEN = 30;

/** Keywords whose values are data. */
const data = new Set(["const", "enum", "default", "examples"]);

/** @throws ConstraintLimitError */
export function checkPatterns(schema: unknown, path = "#"): void {
  if (typeof schema !== "object" || schema === null) return;
  const { pattern, minLength, maxLength, patternProperties } = schema as Readonly<Record<string, unknown>>;
  if (typeof pattern === "string" && isLarge(pattern, minLength)) {
    const text = { type: "string", pattern, ...present({ minLength, maxLength }) };
    checkWork(buildOf(text), lettersOf(pattern), `${path}/pattern`);
  }
  const names = Object.keys(patternProperties ?? {});
  if (areMany(names)) {
    const named = Object.fromEntries(names.map((each) => [each, { type: "string" }]));
    const object = { type: "object", patternProperties: named };
    checkWork(buildOf(object), lettersOf(names.join("")), `${path}/patternProperties`);
  }
  for (const [key, value] of Object.entries(schema)) {
    if (typeof value === "object" && !data.has(key)) checkPatterns(value, path + pointerStep(key));
  }
}

function areMany(patterns: readonly string[]): boolean {
  const isOften = () => Math.max(...patterns.map(mostRepeats)) >= OFTEN;
  return patterns.length >= MANY_PATTERNS || (patterns.length >= 2 && isOften());
}

function isLarge(pattern: string, minLength: unknown): boolean {
  return mostRepeats(pattern) >= MANY_TIMES || Number(minLength ?? 0) >= LONG;
}

/** The largest count of a pattern. */
function mostRepeats(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  return Math.max(0, ...counts.flatMap(([, least, most]) => [Number(least), Number(most || 0)]));
}

/** The first letters and digits of a pattern, which lead deep into it. */
function lettersOf(pattern: string): readonly number[] {
  const letters = [...new Set(pattern.match(/[A-Za-z0-9]/g) ?? [])].slice(0, 3);
  return letters.map((letter) => letter.charCodeAt(0));
}

function buildOf(schema: object): (expressions: Expressions) => Expression {
  return (expressions) =>
    emitSchema(expressions, normalizeSchema(schema), { order: "required", whiteSpace: "compact" });
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
