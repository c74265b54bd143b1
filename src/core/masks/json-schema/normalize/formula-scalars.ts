/** The keywords of numbers and strings as atoms, and their negations. */

import type { SchemaNode } from "../read/schema-node.ts";
import { knownFormats } from "../scalars/formats.ts";
import { type Assertion, type Atom, atom, falseFormula, rangeAssertion } from "./atoms.ts";

function assertion(asserted: Atom, negated: Atom): Assertion {
  return { yes: atom(asserted), no: () => atom(negated) };
}

/** Ranges of OpenAPI's integer formats. The largest int64 is the largest double below 2^63. */
const integerFormats: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ["int32", [-(2 ** 31), 2 ** 31 - 1]],
  ["int64", [-(2 ** 63), 2 ** 63 - 1024]],
]);

/**
 * Limits integers to the range of their format, on each side without a bound of its own. Validators that treat the format as
 * an annotation accept more, so the negation allows nothing: the answers are then right under both readings.
 */
function formatRange(node: SchemaNode): Assertion[] {
  const range = node.integer && node.format !== null ? integerFormats.get(node.format) : undefined;
  if (range === undefined) return [];
  const [least, most] = range;
  const hasLeast = Math.max(node.minimum, node.exclusiveMinimum) > Number.NEGATIVE_INFINITY;
  const hasMost = Math.min(node.maximum, node.exclusiveMaximum) < Number.POSITIVE_INFINITY;
  const limits: Atom[] = [];
  if (!hasLeast) limits.push({ is: "minimum", limit: least, exclusive: false });
  if (!hasMost) limits.push({ is: "maximum", limit: most, exclusive: false });
  return limits.map((limit) => ({ yes: atom(limit), no: () => falseFormula }));
}

export function numberAssertions(node: SchemaNode): Assertion[] {
  const found: Assertion[] = formatRange(node);
  if (node.integer) found.push(assertion({ is: "integer" }, { is: "notMultipleOf", divisor: 1 }));
  const bounds = [
    { side: "minimum", limit: node.minimum, exclusive: false },
    { side: "minimum", limit: node.exclusiveMinimum, exclusive: true },
    { side: "maximum", limit: node.maximum, exclusive: false },
    { side: "maximum", limit: node.exclusiveMaximum, exclusive: true },
  ] as const;
  for (const { side, limit, exclusive } of bounds) {
    if (!Number.isFinite(limit)) continue;
    const opposite = side === "minimum" ? "maximum" : "minimum";
    found.push(assertion({ is: side, limit, exclusive }, { is: opposite, limit, exclusive: !exclusive }));
  }
  const divisor = node.multipleOf;
  if (divisor !== null) {
    found.push(assertion({ is: "multipleOf", divisor }, { is: "notMultipleOf", divisor }));
  }
  return found;
}

export function stringAssertions(node: SchemaNode): Assertion[] {
  const found: Assertion[] = [];
  if (node.minLength > 0 || node.maxLength < Number.POSITIVE_INFINITY)
    found.push(lengthAssertion(node.minLength, node.maxLength));
  if (node.pattern !== null) {
    const texts = [node.pattern];
    found.push(assertion({ is: "patterns", texts }, { is: "notPatterns", texts }));
  }
  if (node.format !== null && knownFormats.has(node.format)) {
    const texts = [node.format];
    found.push(assertion({ is: "formats", texts }, { is: "notFormats", texts }));
  }
  return found;
}

/** For strings and arrays. */
export function lengthAssertion(min: number, max: number): Assertion {
  return rangeAssertion(min, max, (least, most) => atom({ is: "length", min: least, max: most }));
}
