/** An expression without its arena. It can be copied into another arena; deriving it there again would take many times as long. */
import type { ByteSet } from "./byte-set.ts";
import type { Expressions } from "./expression.ts";
import type { Expression } from "./expression-node.ts";

/** Parts are places in the list, before that of the node itself. */
type TemplateNode =
  | { readonly kind: "empty" | "nothing" }
  | { readonly kind: "bytes"; readonly set: ByteSet }
  | { readonly kind: "sequence"; readonly head: number; readonly tail: number }
  | { readonly kind: "union"; readonly members: readonly number[] }
  | { readonly kind: "repeat"; readonly body: number; readonly min: number; readonly max: number };

/** The last node is the whole expression. */
export type Template = readonly TemplateNode[];

/** Null if the expression contains anything besides bytes, sequences, unions and repetitions. */
export function templateOf(expression: Expression): Template | null {
  const nodes: TemplateNode[] = [];
  const places = new Map<Expression, number>();
  const add = (part: Expression): number => {
    const known = places.get(part);
    if (known !== undefined) return known;
    const node = nodeOf(part, add);
    if (node === null) return -1;
    nodes.push(node);
    places.set(part, nodes.length - 1);
    return nodes.length - 1;
  };
  return add(expression) < 0 ? null : nodes;
}

function nodeOf(expression: Expression, add: (part: Expression) => number): TemplateNode | null {
  switch (expression.kind) {
    case "empty":
    case "nothing":
      return { kind: expression.kind };
    case "bytes":
      return { kind: "bytes", set: expression.set };
    case "sequence": {
      const [head, tail] = [add(expression.head), add(expression.tail)];
      return head < 0 || tail < 0 ? null : { kind: "sequence", head, tail };
    }
    case "union": {
      const members = expression.members.map(add);
      return members.includes(-1) ? null : { kind: "union", members };
    }
    case "repeat": {
      const { min, max } = expression;
      const body = add(expression.body);
      return body < 0 ? null : { kind: "repeat", body, min, max };
    }
    default:
      return null;
  }
}

/** The expression that `template` was made of, in this arena. */
export function fromTemplate(expressions: Expressions, template: Template): Expression {
  const made: Expression[] = [];
  const at = (place: number) => made[place] as Expression;
  for (const node of template) made.push(makeNode(expressions, node, at));
  return at(made.length - 1);
}

function makeNode(
  expressions: Expressions,
  node: TemplateNode,
  at: (place: number) => Expression,
): Expression {
  switch (node.kind) {
    case "empty":
    case "nothing":
      return expressions[node.kind];
    case "bytes":
      return expressions.bytes(node.set);
    case "sequence":
      return expressions.pair(at(node.head), at(node.tail));
    case "union":
      return expressions.unionOf(node.members.map(at));
    case "repeat":
      return expressions.repeat(at(node.body), node.min, node.max);
  }
}
