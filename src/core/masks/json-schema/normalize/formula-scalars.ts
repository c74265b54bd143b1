/** The keywords of numbers and strings as atoms, and their negations. */

import type { SchemaNode } from "../read/schema-node.ts";
import { knowsFormat } from "../scalars/scalars.ts";
import { type Assertion, type Atom, atom, no, or } from "./atoms.ts";

function assertion(asserted: Atom, negated: Atom): Assertion {
  return { yes: atom(asserted), no: () => atom(negated) };
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

/** For strings and arrays. */
export function lengths(min: number, max: number): Assertion {
  return {
    yes: atom({ is: "length", min, max }),
    no: () =>
      or([
        min > 0 ? atom({ is: "length", min: 0, max: min - 1 }) : no,
        max < Number.POSITIVE_INFINITY
          ? atom({ is: "length", min: max + 1, max: Number.POSITIVE_INFINITY })
          : no,
      ]),
  };
}
