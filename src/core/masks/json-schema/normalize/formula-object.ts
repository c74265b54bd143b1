/** The keywords of objects as atoms, and their negations. */

import type { Json } from "../normal-form.ts";
import type { JsonObject } from "../read/json-value.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import {
  type Assertion,
  type AssertionOf,
  and,
  atom,
  type Formula,
  falseFormula,
  or,
  rangeAssertion,
  type SomePropertyAtom,
  trueFormula,
} from "./atoms.ts";
import type { Handle, HandleTable } from "./handle.ts";

const infinity = Number.POSITIVE_INFINITY;

export function objectAssertions(
  node: SchemaNode,
  handles: HandleTable,
  assertionOf: AssertionOf,
): Assertion[] {
  const found: Assertion[] = [];
  if (node.properties !== null || node.patternProperties.length > 0 || node.additionalProperties !== null) {
    found.push(members(node, handles));
  }
  if (node.required.length > 0) {
    const no = () => or(node.required.filter((name) => !node.properties?.has(name)).map(forbidden));
    found.push({ yes: required(node.required), no });
  }
  const { minProperties, maxProperties } = node;
  if (minProperties > 0 || maxProperties < infinity)
    found.push(rangeAssertion(minProperties, maxProperties, (min, max) => atom({ is: "count", min, max })));
  if (node.propertyNames !== null) found.push(names(node, node.propertyNames, handles));
  for (const [name, needed] of node.dependentRequired) {
    found.push({
      yes: or([forbidden(name), required([name, ...needed])]),
      no: () => and([required([name]), or(needed.map(forbidden))]),
    });
  }
  for (const [name, schema] of node.dependentSchemas) {
    const valid = assertionOf(schema);
    found.push({
      yes: or([forbidden(name), and([required([name]), valid.yes])]),
      no: () => and([required([name]), valid.no()]),
    });
  }
  return found;
}

function required(needed: readonly string[]): Formula {
  return atom({ is: "required", names: needed });
}

function forbidden(name: string): Formula {
  return atom({ is: "forbidden", name });
}

/** The object has the property `name`, and its value is valid for `value`. */
export function presentProperty(name: string, value: Handle, handles: HandleTable, path: string): Formula {
  if (value === handles.never) return falseFormula;
  return and([required([name]), optionalProperty(name, value, handles, path)]);
}

/** If the object has the property `name`, its value is valid for `value`. */
function optionalProperty(name: string, value: Handle, { always }: HandleTable, path: string): Formula {
  const properties = new Map([[name, value]]);
  return atom({ is: "members", properties, patterns: [], additional: always, path, isListed: false });
}

function members(node: SchemaNode, handles: HandleTable): Assertion {
  const { always, never } = handles;
  const { path } = node;
  const properties = new Map<string, Handle>();
  for (const [name, child] of node.properties ?? []) properties.set(name, handles.of(child));
  const patterns = node.patternProperties.map(({ pattern, node: child }) => ({
    pattern,
    schema: handles.of(child),
  }));
  const additional = node.additionalProperties === null ? always : handles.of(node.additionalProperties);
  return {
    yes: atom({ is: "members", properties, patterns, additional, path, isListed: true }),
    no: () => {
      const wrong: Formula[] = [];
      const needed = new Set(node.required);
      for (const [name, child] of node.properties ?? []) {
        // A required property is wrong if it is absent, too. As two formulas these would double the alternatives.
        const property = needed.has(name) ? optionalProperty : presentProperty;
        wrong.push(property(name, handles.not(child), handles, path));
      }
      for (const { pattern, node: child } of node.patternProperties) {
        const value = handles.not(child);
        if (value !== never) wrong.push(atom(some({ pattern, value, path: child.path })));
      }
      const value = node.additionalProperties === null ? never : handles.not(node.additionalProperties);
      if (value !== never) {
        const notPatterns = patterns.map(({ pattern }) => pattern);
        const except = new Set(properties.keys());
        wrong.push(atom(some({ except, notPatterns, value, path: `${path}/additionalProperties` })));
      }
      return or(wrong);
    },
  };
}

function some(asked: Partial<SomePropertyAtom> & { value: Handle; path: string }): SomePropertyAtom {
  return { is: "some", except: new Set(), pattern: null, notPatterns: [], names: null, ...asked };
}

function names(node: SchemaNode, asked: SchemaNode, handles: HandleTable): Assertion {
  const { always, never } = handles;
  const allowed = handles.of(asked);
  const denied = handles.not(asked);
  const path = `${node.path}/propertyNames`;
  return {
    yes: allowed === always ? trueFormula : atom({ is: "names", names: allowed }),
    no: () => (denied === never ? falseFormula : atom(some({ names: denied, value: always, path }))),
  };
}

/** Any object but this one. */
export function objectOtherThan(value: JsonObject, path: string, handles: HandleTable): Formula {
  const except = new Set(Object.keys(value));
  return or([
    ...Array.from(except, (name) =>
      optionalProperty(name, handles.unequal(value[name] as Json, path), handles, path),
    ),
    atom(some({ except, value: handles.always, path })),
  ]);
}
