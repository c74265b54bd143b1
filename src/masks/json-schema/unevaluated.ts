/** `unevaluatedProperties` and `unevaluatedItems`. */
import { type Assertion, type Formula, no, refused, type ShapedType } from "./facts.ts";
import type { Handles } from "./handle.ts";
import type { SchemaNode } from "./schema-node.ts";

export function unevaluatedAssertions(
  node: SchemaNode,
  type: ShapedType,
  _handles: Handles,
  _of: (child: SchemaNode, positive: boolean) => Formula,
): Assertion[] {
  const keyword = type === "object" ? "unevaluatedProperties" : "unevaluatedItems";
  if (type !== "object" && type !== "array") return [];
  if (node[keyword] === null) return [];
  return [{ yes: refused(`${node.path}/${keyword}`, "cannot be enforced"), no: () => no }];
}
