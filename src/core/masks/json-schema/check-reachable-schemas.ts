/**
 * Refuses, when the strategy is made, parts of a schema that would end an answer with an error in its middle: strings, names and numbers
 * that take too much work, and a `minProperties` that cannot be met. The check looks at the parts in their
 * normal form, so it sees patterns that several schemas ask of one string.
 */
import { checkWorkOnSampleTexts, reasonToRefuse } from "../automaton/check-work.ts";
import type { Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { createUnsharedArena } from "../automaton/string-terminal-machine.ts";
import { firstLettersAndDigits, mayTakeMuchWork } from "../regex/large-patterns.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { emissionOf, emitSchema } from "./emit/emit.ts";
import { allowsSomeValue } from "./emit/emit-names.ts";
import { isObjectPossible } from "./emit/emit-object.ts";
import type {
  Alternative,
  NumberAlternative,
  ObjectAlternative,
  SchemaHandle,
  StringAlternative,
} from "./normal-form.ts";
import { reachable } from "./normalize/explore.ts";
import { findNode } from "./normalize/handle.ts";
import { SchemaNode } from "./read/schema-node.ts";

/** A string with a pattern is checked if it must be this long. */
const LONG = 1_000;
/** A string is checked if this many patterns and formats are asked of it at once. */
const MANY_CONDITIONS = 3;
/** Pattern properties are checked if there are this many. */
const MANY_PATTERNS = 5;
/** The work that a number takes is checked if the schema excludes this many values. */
const MANY_VALUES = 50;

type Keyword = "pattern" | "patternProperties" | "not" | "minProperties" | "maxProperties";
/** Negated, maxProperties asks for more names. */
const counts = ["minProperties", "maxProperties"] as const;

const options = { order: "schema", whiteSpace: "compact" } as const;

/**
 * @param nodes all schemas of the document: if none of them may be large, nothing is checked
 * @throws StrategyError, ConstraintLimitError with the path of the refused part
 */
export function checkReachableSchemas(nodes: readonly SchemaNode[], root: SchemaHandle): void {
  if (!mayBeLarge(nodes)) return;
  for (const handle of reachable(root)) {
    const alternatives = handle.normal();
    // Asks about every alternative, because each may be refused. The emitter skips impossible alternatives.
    const possible = alternatives.filter((alternative) => isPossible(alternative, handle));
    if (possible.length === 0 && alternatives.length > 0) {
      const reason =
        "minProperties asks for more properties than there are names: lower minProperties, or allow more names.";
      throw new StrategyError("jsonSchema", pathOf(handle, ...counts), reason);
    }
  }
}

/** A fast look at the schemas one by one. Most schemas need no check. */
function mayBeLarge(nodes: readonly SchemaNode[]): boolean {
  const patterns = nodes.flatMap(({ pattern }) => pattern ?? []);
  const formats = nodes.filter(({ format }) => format !== null).length;
  const areMany = patterns.length + formats >= MANY_CONDITIONS || mayTakeMuchWork(patterns, formats);
  if (areMany && nodes.some(mayCombine)) return true;
  return nodes.some((node) => {
    const { pattern, format, patternProperties, minLength, values } = node;
    return (
      minLength >= LONG ||
      (pattern !== null && mayTakeMuchWork([pattern], format === null ? 0 : 1)) ||
      patternProperties.length > 0 ||
      (values?.length ?? 0) >= MANY_VALUES ||
      counts.some((keyword) => node[keyword] !== unasked[keyword])
    );
  });
}

/** Whether several schemas may apply to one value because of this schema, so that their patterns are asked of one string. */
function mayCombine(node: SchemaNode): boolean {
  const isOnlyReference = node.targets.length === 1 && node.keywords === 1;
  return node.contains !== null || (!isOnlyReference && node.inPlace().length > 0);
}

/** @throws ConstraintLimitError */
function isPossible(alternative: Alternative, handle: SchemaHandle): boolean {
  switch (alternative.type) {
    case "string": {
      const texts = [...alternative.patterns, ...alternative.notPatterns];
      if (isLarge(alternative)) checkScalar(alternative, texts, pathOf(handle, "pattern"));
      return true;
    }
    case "number":
      if (alternative.except.length >= MANY_VALUES) checkScalar(alternative, ["195"], pathOf(handle, "not"));
      return true;
    case "object": {
      const names = alternative.patterns.map(({ pattern }) => pattern);
      if (areLarge(names)) {
        const free = { properties: new Map(), required: new Set<string>(), minProperties: 0, clauses: [] };
        const build = emitterOf({ ...alternative, ...free });
        checkWorkOnSampleTexts(build, firstLettersAndDigits(names), pathOf(handle, "patternProperties"));
      }
      return alternative.minProperties <= alternative.required.size || canHaveEnough(alternative, handle);
    }
    default:
      return true;
  }
}

function canHaveEnough(alternative: ObjectAlternative, handle: SchemaHandle): boolean {
  if (surelyHasEnough(alternative)) return true;
  try {
    return isObjectPossible(emissionOf(createUnsharedArena(), options), alternative);
  } catch (error) {
    if (!(error instanceof ConstraintLimitError)) throw error;
    throw new ConstraintLimitError(error.reason, pathOf(handle, ...counts));
  }
}

/** A fast check that may miss that there are enough names, but never returns true if there are too few. */
function surelyHasEnough(alternative: ObjectAlternative): boolean {
  const { properties, required, patterns, additional, names, clauses, minProperties, maxProperties } =
    alternative;
  if (clauses.length > 0 || Math.max(minProperties, required.size) > maxProperties) return false;
  const isAnyNameAllowed = names === null && patterns.length === 0 && allowsSomeValue(additional);
  return isAnyNameAllowed || [...properties.values()].filter(allowsSomeValue).length >= minProperties;
}

/** A schema that asks for nothing. */
const unasked = new SchemaNode(0, "", "");

/** The path of the first of these keywords that a schema of the part has; otherwise the path of the part. */
function pathOf(handle: SchemaHandle, ...keywords: readonly Keyword[]): string {
  for (const keyword of keywords) {
    const node = findNode(handle, (each) => each[keyword] !== unasked[keyword]);
    if (node !== null) return `${node.path}/${keyword}`;
  }
  return findNode(handle, () => true)?.path ?? "#";
}

function areLarge(patterns: readonly string[]): boolean {
  return patterns.length >= MANY_PATTERNS || mayTakeMuchWork(patterns);
}

function isLarge({ patterns, notPatterns, formats, notFormats, minLength }: StringAlternative): boolean {
  const { length } = [patterns, notPatterns, formats, notFormats].flat();
  const isHeavy = mayTakeMuchWork([...patterns, ...notPatterns], formats.length);
  return isHeavy || length >= MANY_CONDITIONS || (length > 0 && minLength >= LONG);
}

/** The reason for which a string or number is refused, by the JSON of its alternative; "" if the check allows the alternative. */
const reasons = new Map<string, string>();
const REASONS_KEPT = 200;

/** Remembers the result, because an author's schema is read again and again. @throws ConstraintLimitError */
function checkScalar(
  alternative: StringAlternative | NumberAlternative,
  patterns: readonly string[],
  where: string,
): void {
  if (reasons.size >= REASONS_KEPT) reasons.clear();
  const reason = getOrCreate(reasons, JSON.stringify(alternative), () =>
    reasonToRefuse(emitterOf(alternative), firstLettersAndDigits(patterns)),
  );
  if (reason !== "") throw new ConstraintLimitError(reason, where);
}

function emitterOf(alternative: Alternative): (expressions: Expressions) => Expression {
  const handle = { key: "part", normal: () => [alternative] };
  return (expressions) => emitSchema(expressions, handle, options);
}
