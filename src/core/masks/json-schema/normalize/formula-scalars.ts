/** The keywords of numbers and strings as facts, and their negations. */

import type { SchemaNode } from "../read/schema-node.ts";
import { knowsFormat } from "../scalars/scalars.ts";
import { type Assertion, type Fact, fact, no, or } from "./facts.ts";

function assertion(asserted: Fact, negated: Fact): Assertion {
  return { yes: fact(asserted), no: () => fact(negated) };
}

export function numberAssertions(node: SchemaNode): Assertion[] {
  const found: Assertion[] = [];
  if (node.integer) found.push(assertion({ is: "integer" }, { is: "notMultipleOf", divisor: 1 }));
  for (const [limit, exclusive] of [
    [node.minimum, false],
    [node.exclusiveMinimum, true],
  ] as const) {
    if (limit === Number.NEGATIVE_INFINITY) continue;
    found.push(
      assertion({ is: "minimum", limit, exclusive }, { is: "maximum", limit, exclusive: !exclusive }),
    );
  }
  for (const [limit, exclusive] of [
    [node.maximum, false],
    [node.exclusiveMaximum, true],
  ] as const) {
    if (limit === Number.POSITIVE_INFINITY) continue;
    found.push(
      assertion({ is: "maximum", limit, exclusive }, { is: "minimum", limit, exclusive: !exclusive }),
    );
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
    found.push(lengths(node.minLength, node.maxLength));
  if (node.pattern !== null) {
    const texts = [node.pattern];
    found.push(assertion({ is: "patterns", texts }, { is: "notPatterns", texts }));
  }
  if (node.format !== null && knowsFormat(node.format)) {
    const texts = [node.format];
    found.push(assertion({ is: "formats", texts }, { is: "notFormats", texts }));
  }
  return found;
}

/** Of strings and arrays alike. */
export function lengths(min: number, max: number): Assertion {
  return {
    yes: fact({ is: "length", min, max }),
    no: () =>
      or([
        min > 0 ? fact({ is: "length", min: 0, max: min - 1 }) : no,
        max < Number.POSITIVE_INFINITY
          ? fact({ is: "length", min: max + 1, max: Number.POSITIVE_INFINITY })
          : no,
      ]),
  };
}
