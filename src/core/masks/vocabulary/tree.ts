/** The texts of tokens as one tree, flat and in preorder, so that a walk is a loop over typed arrays. */
import type { OrderedTexts } from "./text-order.ts";

/** The nodes are in preorder, without the root. Each node is one byte of some token. */
export interface Tree {
  readonly size: number;
  /** Byte of node i, plus 256 times its depth (1 for a first byte); 0 after the last node. */
  readonly head: Int32Array;
  /** The first node after the subtree of node i. */
  readonly after: Int32Array;
  /** The token that ends at node i; -1 if there is none. */
  readonly token: Int32Array;
  /** The node of each first byte; -1 where no token begins with it. */
  readonly first: Int32Array;
}

/**
 * The tree of all tokens, or of the tokens whose flag in `wanted` is not 0. One pass is enough, since `order` is the
 * preorder of the tree.
 */
export function buildTree(ordered: OrderedTexts, wanted: Uint8Array = allOf(ordered)): Tree {
  const { order, shared, texts, nodes } = ordered;
  // Room for the nodes of all tokens; unused room is cut off at the end.
  const head = new Int32Array(nodes + 1);
  const after = new Int32Array(nodes);
  const token = new Int32Array(nodes).fill(-1);
  const first = new Int32Array(256).fill(-1);
  // The nodes on the way from the root to the present node, by their depth.
  const path: number[] = [0];
  let open = 0;
  let next = 0;
  let common = 0;
  for (let index = 0; index < order.length; index++) {
    common = Math.min(common, shared[index] as number);
    const each = order[index] as number;
    if (wanted[each] === 0) continue;
    for (; open > common; open--) after[path[open] as number] = next;
    const from = texts.start[each] as number;
    const length = (texts.start[each + 1] as number) - from;
    if (common === 0) first[texts.bytes[from] as number] = next;
    while (open < length) {
      const byte = texts.bytes[from + open] as number;
      path[++open] = next;
      head[next++] = byte | (open << 8);
    }
    token[next - 1] = each;
    common = length;
  }
  for (; open > 0; open--) after[path[open] as number] = next;
  return next === nodes
    ? { size: next, head, after, token, first }
    : {
        size: next,
        head: head.slice(0, next + 1),
        after: after.slice(0, next),
        token: token.slice(0, next),
        first,
      };
}

function allOf({ texts }: OrderedTexts): Uint8Array {
  return new Uint8Array(texts.start.length - 1).fill(1);
}
