/**
 * Refuses, when the strategy is made, parts of a schema that would end an answer with an error in its middle: strings, names and numbers
 * that take too much work, and a `minProperties` that cannot be counted or met. The check looks at the parts in their
 * normal form, so it sees patterns that several schemas ask of one string.
 */
import { checkWork } from "../automaton/check-work.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { emissionOf, emitSchema } from "./emit/emit.ts";
import { isObjectPossible } from "./emit/emit-object.ts";
import type { Alternative, ObjectAlternative, SchemaHandle, StringAlternative } from "./normal-form.ts";
import { reachable } from "./normalize/explore.ts";
import { nodeOf } from "./normalize/handle.ts";
import { normalizeSchema } from "./normalize/normalize.ts";
import type { SchemaNode } from "./read/schema-node.ts";

/** A string is checked if a pattern repeats something this often, or if the string must be this long. */
const MANY_TIMES = 100;
const LONG = 1_000;
/** A string is checked if this many patterns and formats are asked of it at once. */
const SEVERAL = 3;
/** Pattern properties are checked if there are this many, or if a pattern repeats something 30 times. */
const MANY_PATTERNS = 5;
const OFTEN = 30;
/** A number is checked if this many values are left out. */
const MANY_VALUES = 50;

const options = { order: "schema", whiteSpace: "compact" } as const;

/** @throws StrategyError, ConstraintLimitError */
export function checkParts(nodes: readonly SchemaNode[], root: SchemaHandle): void {
  if (!mayBeLarge(nodes)) return;
  for (const handle of reachable(root)) {
    const alternatives = handle.normal();
    // Asks about every alternative, because each may be refused. The emitter skips impossible alternatives.
    const possible = alternatives.filter((alternative) => isPossible(alternative, handle));
    if (possible.length === 0 && alternatives.length > 0) throw tooFewNames(handle);
  }
}

/** A fast look at the schemas one by one. Most schemas need no check. */
function mayBeLarge(nodes: readonly SchemaNode[]): boolean {
  const names = nodes.flatMap(({ patternProperties }) => patternProperties.map(({ pattern }) => pattern));
  const numbers = nodes.flatMap(({ values }) => values?.filter((value) => typeof value === "number") ?? []);
  const texts = nodes.filter(({ pattern, format }) => pattern !== null || format !== null);
  return (
    nodes.some(isCounted) ||
    numbers.length >= MANY_VALUES ||
    areMany(names) ||
    nodes.some(({ pattern, minLength }) => minLength >= LONG || mostRepeats(pattern ?? "") >= MANY_TIMES) ||
    (texts.length >= SEVERAL && nodes.some(isCombined))
  );
}

function isCounted({ minProperties, maxProperties }: SchemaNode): boolean {
  // Negated, maxProperties asks for more names.
  return minProperties > 0 || maxProperties < Number.POSITIVE_INFINITY;
}

/** Whether several schemas apply to one value. */
function isCombined(node: SchemaNode): boolean {
  const { length } = node.inPlace();
  return length > 1 || (length === 1 && node.keywords > 1);
}

/** @throws StrategyError when the names cannot be counted, ConstraintLimitError */
function isPossible(alternative: Alternative, handle: SchemaHandle): boolean {
  if (alternative.type === "string" && isLarge(alternative)) {
    const texts = [...alternative.patterns, ...alternative.notPatterns];
    checkWork(
      partOf(alternative),
      lettersOf(texts),
      pathOf(handle, "pattern", ({ pattern }) => pattern !== null),
    );
  }
  if (alternative.type === "number" && alternative.except.length >= MANY_VALUES)
    checkWork(
      partOf(alternative),
      lettersOf(["195"]),
      pathOf(handle, "enum", ({ values }) => values !== null),
    );
  if (alternative.type !== "object") return true;
  const names = alternative.patterns.map(({ pattern }) => pattern);
  if (areMany(names)) {
    const where = pathOf(handle, "patternProperties", (node) => node.patternProperties.length > 0);
    checkWork(objectOf(names), lettersOf(names), where);
  }
  return alternative.minProperties <= alternative.required.size || canHaveEnough(alternative, handle);
}

function canHaveEnough(alternative: ObjectAlternative, handle: SchemaHandle): boolean {
  try {
    return isObjectPossible(emissionOf(new Expressions(), options), alternative);
  } catch (error) {
    const where = countedPath(handle);
    if (error instanceof ConstraintLimitError) throw new ConstraintLimitError(error.reason, where);
    if (!(error instanceof StrategyError) || error.where !== "minProperties") throw error;
    throw new StrategyError(error.strategy, where, error.reason);
  }
}

function tooFewNames(handle: SchemaHandle): StrategyError {
  return new StrategyError(
    "jsonSchema",
    countedPath(handle),
    "minProperties asks for more properties than there are names: lower minProperties, or allow more names.",
  );
}

function countedPath(handle: SchemaHandle): string {
  const isLimited = ({ maxProperties }: SchemaNode) => maxProperties < Number.POSITIVE_INFINITY;
  const isAsked = ({ minProperties }: SchemaNode) => minProperties > 0;
  const keyword = nodeOf(handle, isAsked) === null ? "maxProperties" : "minProperties";
  return pathOf(handle, keyword, keyword === "minProperties" ? isAsked : isLimited);
}

/** The path of the keyword in the first schema that has the keyword; otherwise the path of the part. */
function pathOf(handle: SchemaHandle, keyword: string, has: (node: SchemaNode) => boolean): string {
  const node = nodeOf(handle, has);
  return node === null ? (nodeOf(handle, () => true)?.path ?? "#") : `${node.path}/${keyword}`;
}

function areMany(patterns: readonly string[]): boolean {
  return patterns.length >= MANY_PATTERNS || patterns.some((pattern) => mostRepeats(pattern) >= OFTEN);
}

function isLarge({ patterns, notPatterns, formats, notFormats, minLength }: StringAlternative): boolean {
  const asked = patterns.length + notPatterns.length + formats.length + notFormats.length;
  if (asked === 0) return false;
  const isLong = minLength >= LONG || Math.max(0, ...patterns.map(mostRepeats)) >= MANY_TIMES;
  return asked >= SEVERAL || isLong;
}

/** The largest count of a pattern. */
function mostRepeats(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  return Math.max(0, ...counts.flatMap(([, least, most]) => [Number(least), Number(most || 0)]));
}

/** The first letters and digits of the patterns, which lead deep into them. */
function lettersOf(patterns: readonly string[]): readonly number[] {
  const letters = [...new Set(patterns.join("").match(/[A-Za-z0-9]/g) ?? [])].slice(0, 3);
  return letters.map((letter) => letter.charCodeAt(0));
}

function partOf(alternative: Alternative): (expressions: Expressions) => Expression {
  const handle = { key: "part", normal: () => [alternative] };
  return (expressions) => emitSchema(expressions, handle, options);
}

function objectOf(names: readonly string[]): (expressions: Expressions) => Expression {
  const named = Object.fromEntries(names.map((each) => [each, { type: "string" }]));
  const handle = normalizeSchema({ type: "object", patternProperties: named }).root;
  return (expressions) => emitSchema(expressions, handle, options);
}
