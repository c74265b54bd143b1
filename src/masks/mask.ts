/** The mask of a state: a ready slice where one fits, and a walk for the rest. */
import type { Automaton } from "./automaton.ts";
import type { PlainRuns } from "./plain-run.ts";
import { SHORTEST_SLICE } from "./slices.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { walkTree } from "./walk.ts";

export interface MaskParts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly runs: PlainRuns;
}

/** `(vocabulary.words)` words, made anew. @throws ConstraintLimitError */
export function makeMask({ automaton, vocabulary, runs }: MaskParts, state: number): Uint32Array {
  const { slices, tree, twins, words } = vocabulary;
  const run = runs.of(state);
  const slice = run && slices.find(run.characters, run.length);
  const mask = slice ? slice.mask.slice() : new Uint32Array(words);
  const visited = walkTree(automaton, state, slice ? slice.rest : tree, mask);
  if (run && run.length >= SHORTEST_SLICE) slices.spend(run.characters, visited);
  for (let index = 0; index < twins.length; index += 2) {
    const twin = twins[index + 1] as number;
    if (hasToken(mask, twins[index] as number)) (mask[twin >> 5] as number) |= 1 << (twin & 31);
  }
  return mask;
}

export function hasToken(mask: Uint32Array, token: number): boolean {
  return (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1;
}
