/**
 * Finds the tokens that an automaton allows from a state on: one walk over a tree of tokens, in which each node is one byte.
 * The row of a state has the next state for each byte. Example: `[0-9]{1,2}\}` after the text `1`, and five tokens:
 *
 *     node     token   what the walk does
 *     0  2     2       finds the token. Below, only `}` is possible: the walk makes no row and goes to node 2
 *     1  .x    2x      is not visited
 *     2  .}    2}      finds the token
 *     3  4             allowed, but no token ends here. Below, only `}` is possible, and there is no such node
 *     4  .2    42      is not visited
 *     5  }     }       finds the token
 *
 * `walkTree` finds `2`, `2}` and `}`, and returns 5: four nodes and the missing one below node 3.
 * `walkNodes` follows rows in a loop, `walkFrom` an only byte, `walkPaths` the listed bytes of a rule; `walkUnder` chooses.
 * The walk stops at a node if `stop.state` is reached there, or if the state there remembers texts (distinct.ts). The caller
 * looks below the nodes in `stop.nodes`.
 */
import { type Automaton, DEAD, tailOf } from "../automaton/automaton.ts";
import { isFreeToBegin } from "../automaton/count-texts.ts";
import { type Expression, headOf, type RuleBeginnings } from "../automaton/expression-node.ts";
import { beginsWithTerminalOrListedBytes } from "../automaton/front.ts";
import type { TokenList } from "../vocabulary/token-list.ts";
import type { Tree } from "../vocabulary/tree.ts";

/** `rows[depth]` is the row of the state after `depth` bytes of the node that the walk is at. All walks share this array. */
let rows = new Int32Array(256);

/** In place of a node: the root, whose children are the nodes of first bytes. */
const ROOT = -1;

export interface OpenNode {
  readonly tree: Tree;
  readonly node: number;
}

/** Places at which a walk stops: where `state` is reached, and where a `distinct` begins (distinct.ts). */
export interface Stop {
  readonly state: number;
  /** Filled by the walk: the nodes of these places that have nodes below them. */
  readonly nodes: OpenNode[];
  /** Texts may be written that the states of the walk do not remember: they remember none, but others may have been before. */
  readonly isGeneral: boolean;
}

/** Stops where a `distinct` begins, and nowhere else. The walk adds these nodes to `open`. */
export function stopAtOpen(open: OpenNode[], isGeneral: boolean): Stop {
  return { state: -1, nodes: open, isGeneral };
}

interface Walk {
  readonly automaton: Automaton;
  readonly tree: Tree;
  readonly found: TokenList;
  readonly stop: Stop;
  /** Depth of the node whose row is `rows[0]`. */
  readonly base: number;
  /** The walk is inside a part (`beginsWithPart`). Where the part may end, `outer` goes on with the rest of the part and `tail`. */
  readonly outer: Walk | null;
  readonly tail: Expression;
}

/**
 * Adds the tokens of the tree, or those below `node`, whose remaining bytes are allowed from `start` on. Tokens that continue after
 * `stop` are left out. @returns the number of examined nodes
 */
export function walkTree(
  automaton: Automaton,
  start: number,
  tree: Tree,
  found: TokenList,
  stop: Stop,
  node: number = ROOT,
): number {
  const base = node === ROOT ? 0 : (tree.head[node] as number) >>> 8;
  return walkUnder(
    { automaton, tree, found, stop, base, outer: null, tail: automaton.expressions.empty },
    node,
    start,
  );
}

/**
 * Walks the nodes below a node (-1 for the root) along some paths that share their first `depth` bytes, with `tail` behind: no state
 * is needed inside them. Most time of a mask of names is spent here, so no object is made for each byte.
 */
function walkPaths(
  walk: Walk,
  node: number,
  beginnings: RuleBeginnings,
  tail: Expression,
  first: number = beginnings.first,
  end: number = beginnings.end,
  depth: number = beginnings.depth,
): number {
  const { automaton, tree, found } = walk;
  const { paths } = beginnings;
  let visited = 0;
  let to = first;
  for (let from = first; from < end; from = to) {
    const { bytes } = paths[from] as RuleBeginnings["paths"][number];
    const byte = bytes[depth] as number;
    while (to < end && paths[to]?.bytes[depth] === byte) to++;
    const child = childOf(tree, node, byte);
    if (child < 0) continue;
    visited++;
    const token = tree.token[child] as number;
    if (token >= 0) found.add(token);
    if ((tree.after[child] as number) === child + 1) continue;
    if (bytes.length > depth + 1) visited += walkPaths(walk, child, beginnings, tail, from, to, depth + 1);
    else {
      const rest = automaton.expressions.pair(beginnings.rest(from, to, depth + 1), tail);
      visited += walkOn(walk, child, automaton.stateOf(rest));
    }
  }
  return visited;
}

/** Walks a node that was reached in `state`, and all nodes below it. */
function walkFrom(walk: Walk, node: number, state: number): number {
  const { tree, found, stop } = walk;
  const token = tree.token[node] as number;
  if (token >= 0) found.add(token);
  if ((tree.after[node] as number) === node + 1) return 1;
  if (state !== stop.state) return 1 + walkOn(walk, node, state);
  stop.nodes.push({ tree, node });
  return 1;
}

/** Walks all nodes below a node that was reached in `state`, in the outer walk if the part may end here. */
function walkOn(walk: Walk, node: number, state: number): number {
  const { automaton, outer, tail } = walk;
  if (outer === null || !automaton.isAccepting(state)) return walkUnder(walk, node, state);
  const rest = automaton.expressions.pair(automaton.expressionOf(state), tail);
  return walkOn(outer, node, automaton.stateOf(rest));
}

/** Walks all nodes below a node that was reached in `state`. A state with only one possible byte needs no row. */
function walkUnder(walk: Walk, node: number, state: number): number {
  const { automaton, tree, base, stop } = walk;
  const end = endOf(tree, node);
  if (end === node + 1) return 0;
  const expression = automaton.expressionOf(state);
  if (automaton.beginsWithPart(expression)) {
    const part = { ...walk, outer: walk, tail: expression.tail, stop: { ...stop, state: -1 } };
    return walkUnder(part, node, automaton.stateOf(expression.head));
  }
  if (automaton.remembers(state)) {
    const isFree = !stop.isGeneral && isFreeToBegin(automaton, automaton.expressionOf(state));
    // The first text may be any text, so the walk goes on to its end in the general state.
    if (isFree)
      return walkUnder({ ...walk, stop: { ...stop, isGeneral: true } }, node, automaton.generalOf(state));
    stop.nodes.push({ tree, node });
    return 0;
  }
  const front = automaton.frontOf(state);
  const head = headOf(automaton.expressionOf(front));
  const { beginnings } = head;
  if (beginnings !== undefined)
    return walkPaths(walk, node, beginnings, tailOf(automaton.expressionOf(front), automaton.expressions));
  if (head.kind === "union" && beginsWithTerminalOrListedBytes(head)) {
    return automaton
      .alternativesOf(front)
      .reduce((visited, each) => visited + walkUnder(walk, node, each), 0);
  }
  const only = automaton.seenByte(state);
  if (only >= 0) {
    const child = childOf(tree, node, only);
    return child < 0 ? 1 : walkFrom(walk, child, automaton.afterSeen(state));
  }
  const depth = node === ROOT ? 0 : ((tree.head[node] as number) >>> 8) - base;
  if (depth >= rows.length) rows = grow(rows);
  rows[depth] = automaton.findRow(state);
  return walkNodes(walk, node + 1, end);
}

/** Walks the nodes from `from` to before `end`. The nodes above them have their rows in `rows`. */
function walkNodes(walk: Walk, from: number, end: number): number {
  const { automaton, found, base } = walk;
  const { head, after, token } = walk.tree;
  const stopState = walk.stop.state;
  const { rowOf } = automaton;
  let { table } = automaton;
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
      walk.stop.nodes.push({ tree: walk.tree, node });
      node = last;
      continue;
    }
    const row = rowOf[next] as number;
    // A state that already has a row needs no recursion: the loop goes on with the first node below.
    if (row >= 0 && !(walk.outer !== null && automaton.isAccepting(next))) {
      if (depth >= rows.length) rows = grow(rows);
      rows[depth] = row;
      node++;
      continue;
    }
    visited += walkOn(walk, node, next);
    node = last;
    // `walkUnder` may have made rows, which may replace the table.
    table = automaton.table;
  }
  return visited;
}

/** The child of a node for a byte; -1 if there is none. */
export function childOf(tree: Tree, parent: number, byte: number): number {
  if (parent === ROOT) return tree.first[byte] as number;
  const { head, after } = tree;
  const end = after[parent] as number;
  for (let node = parent + 1; node < end; node = after[node] as number) {
    if (((head[node] as number) & 255) === byte) return node;
  }
  return -1;
}

/** The first node after those below a node. */
function endOf({ after, size }: Tree, node: number): number {
  return node === ROOT ? size : (after[node] as number);
}

function grow(before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(before.length * 2);
  grown.set(before);
  return grown;
}
