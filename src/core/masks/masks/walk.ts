/** Which tokens an automaton allows: one walk over a tree of tokens. */
import { type Automaton, DEAD } from "../automaton/automaton.ts";
import type { TokenList } from "../vocabulary/token-list.ts";
import type { Tree } from "../vocabulary/tree.ts";

/** `rows[depth]` is the row of the state after `depth` bytes of the node that the walk is at. */
let rows = new Int32Array(256);

/** Places at which a walk stops. */
interface Stop {
  readonly state: number;
  /** Filled by the walk: the nodes at which `state` was reached and that have nodes below them. */
  readonly nodes: number[];
  /** Filled by the walk: nodes with children at which a `distinct` begins (distinct.ts). If absent, the walk continues there. */
  readonly open?: number[];
}

const nowhere: Stop = { state: -1, nodes: [] };

/** Stops where a `distinct` begins, and nowhere else. */
export function stopAtOpen(open: number[]): Stop {
  return { state: -1, nodes: [], open };
}

interface Walk {
  readonly automaton: Automaton;
  readonly tree: Tree;
  readonly found: TokenList;
  readonly stop: Stop;
  /** Depth of the node whose row is `rows[0]`. */
  readonly base: number;
}

/**
 * Adds the tree's tokens that are allowed from `start` on, except those that continue after `stop`. @returns the number of
 * examined nodes
 */
export function walkTree(
  automaton: Automaton,
  start: number,
  tree: Tree,
  found: TokenList,
  stop: Stop = nowhere,
): number {
  const walk = { automaton, tree, found, stop, base: 0 };
  const only = automaton.seenByte(start);
  if (only >= 0) {
    const node = tree.first[only] as number;
    return node < 0 ? 0 : walkFrom(walk, node, automaton.afterSeen(start));
  }
  const startRow = automaton.findRow(start);
  rows[0] = startRow;
  let visited = 0;
  for (let byte = 0; byte < 256; byte++) {
    const node = tree.first[byte] as number;
    if (node < 0 || automaton.table[startRow + byte] === DEAD) continue;
    visited += walkNodes(walk, node, tree.after[node] as number);
  }
  return visited;
}

/** Adds the tokens below a node whose further bytes are allowed from `start` on. */
export function walkBelow(
  automaton: Automaton,
  start: number,
  tree: Tree,
  node: number,
  found: TokenList,
  stop: Stop = nowhere,
): void {
  const walk = { automaton, tree, found, stop, base: (tree.head[node] as number) >>> 8 };
  walkUnder(walk, node, start);
}

/** Walks a node that was reached in `state`, and all nodes below it. */
function walkFrom(walk: Walk, node: number, state: number): number {
  const { tree, found, stop } = walk;
  const token = tree.token[node] as number;
  if (token >= 0) found.add(token);
  if (state !== stop.state) return 1 + walkUnder(walk, node, state);
  if ((tree.after[node] as number) > node + 1) stop.nodes.push(node);
  return 1;
}

/** Walks all nodes below a node that was reached in `state`. A state with only one possible byte needs no row. */
function walkUnder(walk: Walk, node: number, state: number): number {
  const { automaton, tree, base, stop } = walk;
  const end = tree.after[node] as number;
  if (end === node + 1) return 0;
  if (stop.open !== undefined && automaton.remembers(state)) {
    stop.open.push(node);
    return 0;
  }
  const only = automaton.seenByte(state);
  if (only >= 0) {
    const child = childOf(tree, node, only);
    return child < 0 ? 1 : walkFrom(walk, child, automaton.afterSeen(state));
  }
  const depth = ((tree.head[node] as number) >>> 8) - base;
  if (depth >= rows.length) rows = grow(rows);
  rows[depth] = automaton.findRow(state);
  return walkNodes(walk, node + 1, end);
}

/** Walks the nodes from `from` to before `end`. The nodes above them have their rows in `rows`. */
function walkNodes(walk: Walk, from: number, end: number): number {
  const { automaton, found, base } = walk;
  const { head, after, token } = walk.tree;
  const stopState = walk.stop.state;
  let { table, rowOf } = automaton;
  let node = from;
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
    if ((token[node] as number) >= 0) found.add(token[node] as number);
    const last = after[node] as number;
    if (last === node + 1) {
      node = last;
      continue;
    }
    if (next === stopState) {
      walk.stop.nodes.push(node);
      node = last;
      continue;
    }
    const row = rowOf[next] as number;
    if (row >= 0) {
      if (depth >= rows.length) rows = grow(rows);
      rows[depth] = row;
      node++;
      continue;
    }
    visited += walkUnder(walk, node, next);
    node = last;
    table = automaton.table;
    rowOf = automaton.rowOf;
  }
  return visited;
}

/** The child of a node for a byte; -1 if there is none. */
export function childOf({ head, after }: Tree, parent: number, byte: number): number {
  const end = after[parent] as number;
  for (let node = parent + 1; node < end; node = after[node] as number) {
    if (((head[node] as number) & 255) === byte) return node;
  }
  return -1;
}

function grow(before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(before.length * 2);
  grown.set(before);
  return grown;
}
