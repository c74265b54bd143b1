/** Which tokens an automaton allows: one walk over the tree of the vocabulary. */
import { type Automaton, DEAD } from "./automaton.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** `(ceil(vocabulary / 32))` words, made anew. */
export function walkMask(automaton: Automaton, start: number, { tree, words }: Vocabulary): Uint32Array {
  const mask = new Uint32Array(words);
  const { byte, depth, after, firstToken, tokens } = tree;
  const states: number[] = [start];
  let node = 1;
  while (node < byte.length) {
    const level = depth[node] as number;
    const next = automaton.step(states[level - 1] as number, byte[node] as number);
    if (next === DEAD) {
      node = after[node] as number;
      continue;
    }
    states[level] = next;
    for (let index = firstToken[node] as number; index < (firstToken[node + 1] as number); index++) {
      const token = tokens[index] as number;
      (mask[token >> 5] as number) |= 1 << (token & 31);
    }
    node++;
  }
  return mask;
}
