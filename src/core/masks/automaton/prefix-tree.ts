/** Texts as a tree of their bytes: a beginning that several texts share is made once, and a step looks at one byte, not at each text. */
import type { Expression, Expressions } from "./expression.ts";

/** Any of the texts, which all differ; `nothing` if there are none. */
export function prefixTree(expressions: Expressions, texts: readonly Uint8Array[]): Expression {
  return subtree(expressions, [...texts].sort(compareBytes), 0);
}

/** The rest of the sorted texts, which share their first `depth` bytes. */
function subtree(expressions: Expressions, sorted: readonly Uint8Array[], depth: number): Expression {
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return expressions.nothing;
  let shared = depth;
  while (shared < first.length && first[shared] === last[shared]) shared++;
  const branches: Expression[] = [];
  let begin = 0;
  while (begin < sorted.length) {
    const byte = sorted[begin]?.[shared];
    let end = begin + 1;
    while (end < sorted.length && sorted[end]?.[shared] === byte) end++;
    if (byte === undefined) branches.push(expressions.empty);
    else {
      const rest = subtree(expressions, sorted.slice(begin, end), shared + 1);
      branches.push(expressions.sequence(expressions.byte(byte), rest));
    }
    begin = end;
  }
  return expressions.sequence(
    expressions.literal(first.slice(depth, shared)),
    expressions.union(...branches),
  );
}

/** Orders texts by their bytes. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
