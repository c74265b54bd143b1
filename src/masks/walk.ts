/** Which tokens an automaton allows: one walk over a tree of tokens. */
import { type Automaton, DEAD } from "./automaton.ts";
import type { Tree } from "./tree.ts";

let rows = new Int32Array(256);

/** Sets the bits of the tree's tokens that are allowed from `start` on. @returns how many nodes were looked at. */
export function walkTree(automaton: Automaton, start: number, tree: Tree, mask: Uint32Array): number {
  const { head, after, token } = tree;
  const startRow = automaton.findRow(start);
  let { table, rowOf } = automaton;
  rows[0] = startRow;
  let visited = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (table[startRow + byte] === DEAD || (tree.first[byte] as number) < 0) continue;
    let node = tree.first[byte] as number;
    const end = after[node] as number;
    while (node < end) {
      visited++;
      const here = head[node] as number;
      const depth = here >>> 8;
      const next = table[(rows[depth - 1] as number) + (here & 255)] as number;
      if (next === DEAD) {
        node = after[node] as number;
        continue;
      }
      const found = token[node] as number;
      if (found >= 0) (mask[found >> 5] as number) |= 1 << (found & 31);
      node++;
      if ((head[node] as number) >>> 8 > depth) {
        let row = rowOf[next] as number;
        if (row < 0) {
          row = automaton.findRow(next);
          table = automaton.table;
          rowOf = automaton.rowOf;
        }
        if (depth >= rows.length) rows = grow(rows);
        rows[depth] = row;
      }
    }
  }
  return visited;
}

function grow(before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(before.length * 2);
  grown.set(before);
  return grown;
}
