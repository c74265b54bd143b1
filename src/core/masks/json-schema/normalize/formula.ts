/**
 * The conditions of a schema for the values of one type, as a formula of atoms: negations are pushed inward until they reach
 * a keyword. Each schema has two formulas for each type: one for valid values, one for the others.
 */

import type { Json } from "../normal-form.ts";
import { isArray, isObject, typeBits, typeOf } from "../read/json-value.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import {
  type Assertion,
  type AssertionOf,
  type Atom,
  and,
  atom,
  type Formula,
  falseFormula,
  type OneOf,
  or,
  type ShapedType,
  trueFormula,
} from "./atoms.ts";
import { arrayAssertions, arrayOtherThan } from "./formula-array.ts";
import { objectAssertions, objectOtherThan } from "./formula-object.ts";
import { numberAssertions, stringAssertions } from "./formula-scalars.ts";
import type { HandleTable, SignedSchema } from "./handle.ts";
import { unevaluatedAssertions } from "./unevaluated.ts";

const slots: Readonly<Record<ShapedType, number>> = { number: 0, string: 2, array: 4, object: 6 };

/** The formulas of each schema, by type and polarity. */
const formulasOf = new WeakMap<SchemaNode, (Formula | undefined)[]>();

/** The formula of the values of `type` that a schema allows, or that it does not allow if `positive` is false. Made once. */
export function formulaOf({ node, positive }: SignedSchema, type: ShapedType, handles: HandleTable): Formula {
  if (node.always !== null) return node.always === positive ? trueFormula : falseFormula;
  if ((node.types & typeBits[type]) === 0) return positive ? falseFormula : trueFormula;
  const slot = slots[type] + (positive ? 1 : 0);
  const formulas = formulasOf.get(node) ?? [];
  formulasOf.set(node, formulas);
  const made = formulas[slot];
  if (made !== undefined) return made;
  const assertions = assertionsOf(node, type, handles);
  const formula = positive ? and(assertions.map(({ yes }) => yes)) : or(assertions.map(({ no }) => no()));
  formulas[slot] = formula;
  const opposite = formulas[slot ^ 1];
  if (opposite !== undefined) {
    if ("opposite" in opposite) opposite.opposite = formula;
    if ("opposite" in formula) formula.opposite = opposite;
  }
  return formula;
}

function assertionsOf(node: SchemaNode, type: ShapedType, handles: HandleTable): Assertion[] {
  const of: AssertionOf = (child) => ({
    get yes() {
      return formulaOf({ node: child, positive: true }, type, handles);
    },
    no: () => formulaOf({ node: child, positive: false }, type, handles),
  });
  return [
    ...(node.values === null ? [] : [valueAssertion(node, node.values, type, handles)]),
    ...typedAssertions(node, type, handles, of),
    ...combinations(node, of),
    ...(type === "array" || type === "object" ? unevaluatedAssertions(node, type, handles, of) : []),
  ];
}

function typedAssertions(
  node: SchemaNode,
  type: ShapedType,
  handles: HandleTable,
  of: AssertionOf,
): Assertion[] {
  if (type === "number") return numberAssertions(node);
  if (type === "string") return stringAssertions(node);
  return type === "array" ? arrayAssertions(node, handles) : objectAssertions(node, handles, of);
}

/** `enum` and `const`. */
function valueAssertion(
  node: SchemaNode,
  all: readonly Json[],
  type: ShapedType,
  handles: HandleTable,
): Assertion {
  const values = all.filter((value) => typeOf(value) === type);
  return {
    yes: values.length > 0 ? { kind: "values", values } : falseFormula,
    no: () => and(values.length > 0 ? otherValues(node, values, handles) : []),
  };
}

/** The formula for all values but these, which are of one type. */
function otherValues(node: SchemaNode, values: readonly Json[], handles: HandleTable): Formula[] {
  const numbers = values.filter((value) => typeof value === "number");
  const texts = values.filter((value) => typeof value === "string");
  const atoms: Atom[] = [];
  if (numbers.length > 0) atoms.push({ is: "except", values: numbers });
  if (texts.length > 0) atoms.push({ is: "except", texts });
  return [
    ...atoms.map(atom),
    ...values.filter(isArray).map((value) => arrayOtherThan(value, node.path, handles)),
    ...values.filter(isObject).map((value) => objectOtherThan(value, node.path, handles)),
  ];
}

/** The keywords that apply other schemas to the same value. */
function combinations(node: SchemaNode, of: AssertionOf): Assertion[] {
  const found = [...node.targets, ...node.allOf].map(of);
  if (node.anyOf.length > 0) {
    found.push({
      yes: or(node.anyOf.map((child) => of(child).yes)),
      no: () => and(node.anyOf.map((child) => of(child).no())),
    });
  }
  if (node.oneOf.length > 0) found.push(exactlyOne(node.oneOf, of));
  if (node.not !== null) {
    const negated = of(node.not);
    found.push({ yes: negated.no(), no: () => negated.yes });
  }
  if (node.condition !== null) {
    const { test, yes: then, no: otherwise } = node.condition;
    if (then !== null || otherwise !== null) {
      found.push(
        conditional(
          of(test),
          then === null ? anyValue : of(then),
          otherwise === null ? anyValue : of(otherwise),
        ),
      );
    }
  }
  return found;
}

const anyValue: Assertion = { yes: trueFormula, no: () => falseFormula };

/** `if`, `then` and `else`. The negation is the same condition with both branches negated. */
function conditional(test: Assertion, holds: Assertion, fails: Assertion): Assertion {
  const either = (whereTrue: Formula, whereFalse: Formula): Formula => {
    const made = or([and([test.yes, whereTrue]), and([test.no(), whereFalse])]);
    if (made.kind !== "or") return made;
    return { ...made, conjunction: () => [or([test.no(), whereTrue]), or([test.yes, whereFalse])] };
  };
  return { yes: either(holds.yes, fails.yes), no: () => either(holds.no(), fails.no()) };
}

function exactlyOne(schemas: readonly SchemaNode[], of: AssertionOf): Assertion {
  const members = schemas.map(of).filter((member) => member.yes.kind !== "false");
  const certain = members.filter((member) => member.yes.kind === "true");
  const uncertain = members.filter((member) => member.yes.kind !== "true");
  return {
    yes: exactly(certain.length, uncertain),
    no: () => {
      const none = and(members.map((member) => member.no()));
      const pairs = members.flatMap((member, index) =>
        members.slice(index + 1).map((other) => and([member.yes, other.yes])),
      );
      return or([none, ...pairs]);
    },
  };
}

function exactly(certain: number, members: OneOf["members"]): Formula {
  if (certain > 1) return falseFormula;
  if (certain === 1) return and(members.map((member) => member.no()));
  const [first] = members;
  if (first === undefined) return falseFormula;
  return members.length === 1 ? first.yes : { kind: "oneOf", members, opposite: null };
}
