/** Which tokens an automaton allows: one walk over a tree of tokens. */
import { type Automaton, DEAD } from "./automaton.ts";
import type { Tree } from "./tree.ts";

let rows = new Int32Array(256);

/** Where a walk does not go on. */
interface Stop {
  readonly state: number;
  /** The nodes at which it was reached, and below which there are others. */
  readonly nodes: number[];
  /** The nodes below which there are others, and from which on what is written is remembered (distinct.ts). Left out: it is gone on. */
  readonly open?: number[];
}

const nowhere: Stop = { state: -1, nodes: [] };

/** Stops where what is written is remembered, and nowhere else. */
export function stopAtOpen(open: number[]): Stop {
  return { state: -1, nodes: [], open };
}

/**
 * Sets the bits of the tree's tokens that are allowed from `start` on; not of those that go on behind `stop`.
 * @returns how many nodes were looked at.
 */
export function walkTree(
  automaton: Automaton,
  start: number,
  tree: Tree,
  mask: Uint32Array,
  stop: Stop = nowhere,
): number {
  const startRow = automaton.findRow(start);
  rows[0] = startRow;
  let visited = 0;
  for (let byte = 0; byte < 256; byte++) {
    const node = tree.first[byte] as number;
    if (node < 0 || automaton.table[startRow + byte] === DEAD) continue;
    visited += walkNodes(automaton, tree, { node, end: tree.after[node] as number, base: 0 }, mask, stop);
  }
  return visited;
}

/** Sets the bits of the tokens below a node whose further bytes are allowed from `start` on. */
export function walkBelow(
  automaton: Automaton,
  start: number,
  tree: Tree,
  node: number,
  mask: Uint32Array,
  stop: Stop = nowhere,
): void {
  rows[0] = automaton.findRow(start);
  const base = (tree.head[node] as number) >>> 8;
  walkNodes(automaton, tree, { node: node + 1, end: tree.after[node] as number, base }, mask, stop);
}

interface Span {
  readonly node: number;
  readonly end: number;
  /** Depth of the nodes above, which `rows[0]` is for. */
  readonly base: number;
}

function walkNodes(automaton: Automaton, tree: Tree, span: Span, mask: Uint32Array, stop: Stop): number {
  const { head, after, token } = tree;
  const { end, base } = span;
  const stopState = stop.state;
  let { table, rowOf } = automaton;
  let { node } = span;
  let visited = 0;
  while (node < end) {
    visited++;
    const here = head[node] as number;
    const depth = (here >>> 8) - base;
    const next = table[(rows[depth - 1] as number) + (here & 255)] as number;
    if (next === DEAD) {
      node = after[node] as number;
      continue;
    }
    const found = token[node] as number;
    if (found >= 0) (mask[found >> 5] as number) |= 1 << (found & 31);
    if (next === stopState) {
      if ((after[node] as number) > node + 1) stop.nodes.push(node);
      node = after[node] as number;
      continue;
    }
    node++;
    if (((head[node] as number) >>> 8) - base > depth) {
      let row = rowOf[next] as number;
      if (row < 0) {
        if (stop.open !== undefined && automaton.remembers(next)) {
          stop.open.push(node - 1);
          node = after[node - 1] as number;
          continue;
        }
        row = automaton.findRow(next);
        table = automaton.table;
        rowOf = automaton.rowOf;
      }
      if (depth >= rows.length) rows = grow(rows);
      rows[depth] = row;
    }
  }
  return visited;
}

function grow(before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(before.length * 2);
  grown.set(before);
  return grown;
}
