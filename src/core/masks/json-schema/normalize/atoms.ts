/** Formulas combine atoms by "and", "or" and "exactly one". An atom is a simple statement about values of one type. */

import type { Json } from "../normal-form.ts";
import type { TypeName } from "../read/json-value.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import type { Handle } from "./handle.ts";

export type ShapedType = Extract<TypeName, "number" | "string" | "array" | "object">;

export type NumberAtom =
  | { readonly is: "minimum" | "maximum"; readonly limit: number; readonly exclusive: boolean }
  | { readonly is: "integer" }
  | { readonly is: "multipleOf" | "notMultipleOf"; readonly divisor: number }
  | { readonly is: "except"; readonly values: readonly number[] };

export type StringAtom =
  | { readonly is: "length"; readonly min: number; readonly max: number }
  | {
      readonly is: "patterns" | "notPatterns" | "formats" | "notFormats" | "except";
      readonly texts: readonly string[];
    };

export type ArrayAtom =
  | { readonly is: "items"; readonly prefix: readonly Handle[]; readonly rest: Handle }
  | { readonly is: "length"; readonly min: number; readonly max: number }
  | {
      readonly is: "contains";
      readonly items: Handle;
      readonly others: Handle;
      readonly min: number;
      readonly max: number;
    }
  | { readonly is: "unique"; readonly path: string };

/** `properties`, `patternProperties` and `additionalProperties` of one schema. */
export interface PropertyRules {
  readonly properties: ReadonlyMap<string, Handle>;
  readonly patterns: readonly { readonly pattern: string; readonly schema: Handle }[];
  readonly additional: Handle;
  readonly path: string;
  /** The schema lists these properties. False if they come from a negation: then they do not determine the order. */
  readonly isListed: boolean;
}

export type ObjectAtom =
  | ({ readonly is: "members" } & PropertyRules)
  | { readonly is: "required"; readonly names: readonly string[] }
  | { readonly is: "forbidden"; readonly name: string }
  | { readonly is: "count"; readonly min: number; readonly max: number }
  | { readonly is: "names"; readonly names: Handle }
  | SomePropertyAtom;

/**
 * The object has a property with this `value`. The property's name is not in `except`, matches `pattern`, and matches none
 * of `notPatterns`.
 */
export interface SomePropertyAtom {
  readonly is: "some";
  readonly except: ReadonlySet<string>;
  readonly pattern: string | null;
  readonly notPatterns: readonly string[];
  /** The schema for which the property's name must be valid; null for any name. */
  readonly names: Handle | null;
  readonly value: Handle;
  /** The path of the keyword whose negation this is. */
  readonly path: string;
}

export type Atom = NumberAtom | StringAtom | ArrayAtom | ObjectAtom;

interface Parts {
  readonly parts: readonly Formula[];
  /** The negation of the formula; null until it is made. */
  opposite: Formula | null;
}
export interface And extends Parts {
  readonly kind: "and";
}
export interface Or extends Parts {
  readonly kind: "or";
  /** Formulas that together say the same, if clauses.ts can make clauses of them alone. */
  readonly conjunction?: () => readonly Formula[];
}
export interface OneOf {
  readonly kind: "oneOf";
  readonly members: readonly { readonly yes: Formula; readonly no: () => Formula }[];
  opposite: Formula | null;
}
export type Choice = Or | OneOf;
export type Formula =
  | { readonly kind: "true" }
  | { readonly kind: "false" }
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "values"; readonly values: readonly Json[] }
  | { readonly kind: "refused"; readonly path: string; readonly reason: string }
  | And
  | Choice;

/** A condition and its negation, both made when they are needed. */
export interface Assertion {
  readonly yes: Formula;
  readonly no: () => Formula;
}

/** The assertion that a value is valid for a schema. */
export type AssertionOf = (schema: SchemaNode) => Assertion;

export const trueFormula: Formula = { kind: "true" };
export const falseFormula: Formula = { kind: "false" };

export function atom(it: Atom): Formula {
  return { kind: "atom", atom: it };
}

/** A condition that cannot be enforced: an alternative that needs the condition is refused with this path and reason. */
export function refused(path: string, reason: string): Formula {
  return { kind: "refused", path, reason };
}

export function and(parts: readonly Formula[]): Formula {
  const kept = new Set<Formula>();
  for (const part of parts) {
    if (part.kind === "false") return falseFormula;
    if (part.kind !== "true") kept.add(part);
  }
  const [first = trueFormula] = kept;
  return kept.size <= 1 ? first : { kind: "and", parts: [...kept], opposite: null };
}

export function or(parts: readonly Formula[]): Formula {
  const kept = new Set<Formula>();
  for (const part of parts) {
    if (part.kind === "true") return trueFormula;
    if (part.kind === "or") for (const inner of part.parts) kept.add(inner);
    else if (part.kind !== "false") kept.add(part);
  }
  const [first = falseFormula] = kept;
  return kept.size <= 1 ? first : { kind: "or", parts: [...kept], opposite: null };
}

/** A number of things is from `min` to `max`; the negation: it is less or more. @param within the formula of a range */
export function rangeAssertion(
  min: number,
  max: number,
  within: (min: number, max: number) => Formula,
): Assertion {
  return {
    yes: within(min, max),
    no: () =>
      or([
        min > 0 ? within(0, min - 1) : falseFormula,
        max < Number.POSITIVE_INFINITY ? within(max + 1, Number.POSITIVE_INFINITY) : falseFormula,
      ]),
  };
}
