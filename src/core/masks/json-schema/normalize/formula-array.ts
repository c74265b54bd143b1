/** The keywords of arrays as atoms, and their negations. */

import type { Json } from "../normal-form.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import {
  type Assertion,
  and,
  atom,
  type Formula,
  falseFormula,
  or,
  rangeAssertion,
  refused,
} from "./atoms.ts";
import { lengthAssertion } from "./formula-scalars.ts";
import type { Handle, HandleTable } from "./handle.ts";

const infinity = Number.POSITIVE_INFINITY;

export function arrayAssertions(node: SchemaNode, handles: HandleTable): Assertion[] {
  const found: Assertion[] = [];
  if (node.minItems > 0 || node.maxItems < infinity)
    found.push(lengthAssertion(node.minItems, node.maxItems));
  if (node.prefixItems.length > 0 || node.items !== null) found.push(items(node, handles));
  if (node.contains !== null) found.push(contains(node, node.contains, handles));
  if (node.uniqueItems) {
    const path = `${node.path}/uniqueItems`;
    found.push({
      yes: atom({ is: "unique", path }),
      no: () =>
        refused(
          path,
          'cannot be enforced where "not", "oneOf" or "if" negates the schema; remove the negation',
        ),
    });
  }
  return found;
}

function items(node: SchemaNode, handles: HandleTable): Assertion {
  const { always } = handles;
  const rest = node.items === null ? always : handles.of(node.items);
  return {
    yes: atom({ is: "items", prefix: node.prefixItems.map((item) => handles.of(item)), rest }),
    no: () => {
      const length = node.prefixItems.length;
      const wrong = node.prefixItems.map((item, index) => itemAt(index, handles.not(item), handles));
      if (node.items === null) return or(wrong);
      if (rest === handles.never) wrong.push(longer(length));
      else if (length === 0) wrong.push(...someItem(handles.not(node.items), rest, 1, infinity, handles));
      else if (rest !== always) wrong.push(afterPrefix(node));
      return or(wrong);
    },
  };
}

function longer(length: number): Formula {
  return atom({ is: "length", min: length + 1, max: infinity });
}

/** The array has an item at `index`, and the item is valid for `item`. */
function itemAt(index: number, item: Handle, handles: HandleTable): Formula {
  const { always, never } = handles;
  if (item === never) return falseFormula;
  const prefix = [...Array.from({ length: index }, () => always), item];
  return and([longer(index), atom({ is: "items", prefix, rest: always })]);
}

function afterPrefix(node: SchemaNode): Formula {
  return refused(
    `${node.path}/items`,
    '"items" after "prefixItems" cannot be enforced where "not", "oneOf" or "if" negates the schema; remove the negation, or give maxItems',
  );
}

function contains(node: SchemaNode, asked: SchemaNode, handles: HandleTable): Assertion {
  const found = handles.of(asked);
  const others = handles.not(asked);
  return rangeAssertion(node.minContains, node.maxContains, (min, max) =>
    and(someItem(found, others, min, max, handles)),
  );
}

/** From `min` to `max` items are valid for `found`. */
function someItem(found: Handle, others: Handle, min: number, max: number, handles: HandleTable): Formula[] {
  const { always, never } = handles;
  if (min > max) return [falseFormula];
  if (found === never) return min > 0 ? [falseFormula] : [];
  if (found === always) return [atom({ is: "length", min, max })];
  if (max === 0) return [atom({ is: "items", prefix: [], rest: others })];
  if (min === 0 && max === infinity) return [];
  return [atom({ is: "contains", items: found, others, min, max })];
}

/** Any array but this one. */
export function arrayOtherThan(value: readonly Json[], path: string, handles: HandleTable): Formula {
  const { length } = value;
  const wrong = value.map((item, index) => itemAt(index, handles.unequal(item, path), handles));
  const shorter = length > 0 ? atom({ is: "length", min: 0, max: length - 1 }) : falseFormula;
  return or([shorter, longer(length), ...wrong]);
}
