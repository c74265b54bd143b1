/** The mask of a state: a ready slice where one fits, and a walk for the rest. */
import type { Automaton } from "./automaton.ts";
import { type Expression, type LeafExpression, leafOf } from "./expression-node.ts";
import { leafMaskOf } from "./leaf-mask.ts";
import type { PlainRuns } from "./plain-run.ts";
import { SHORTEST_SLICE } from "./slices.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { walkBelow, walkTree } from "./walk.ts";

export interface MaskParts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly runs: PlainRuns;
}

/** `(vocabulary.words)` words, made anew. @throws ConstraintLimitError */
export function makeMask(parts: MaskParts, state: number): Uint32Array {
  const expression = parts.automaton.expressionOf(state);
  const leaf = leafOf(expression);
  const mask = leaf === null ? walked(parts, state) : fromLeaf(parts, expression, leaf);
  const { twins } = parts.vocabulary;
  for (let index = 0; index < twins.length; index += 2) {
    const twin = twins[index + 1] as number;
    if (hasToken(mask, twins[index] as number)) (mask[twin >> 5] as number) |= 1 << (twin & 31);
  }
  return mask;
}

/** What the leaf says, and behind it a walk. */
function fromLeaf(
  { automaton, vocabulary }: MaskParts,
  expression: Expression,
  leaf: LeafExpression,
): Uint32Array {
  const { mask: inside, tree, exits } = leafMaskOf(vocabulary, leaf.body, automaton.expressions);
  const mask = inside.slice();
  if (expression.kind === "sequence" && exits.length > 0) {
    const tail = automaton.stateOf(expression.tail);
    for (const node of exits) walkBelow(automaton, tail, tree, node, mask);
  }
  return mask;
}

function walked({ automaton, vocabulary, runs }: MaskParts, state: number): Uint32Array {
  const { slices, tree, words } = vocabulary;
  const run = runs.of(state);
  const slice = run && slices.find(run.characters, run.length);
  const mask = slice ? slice.mask.slice() : new Uint32Array(words);
  const visited = walkTree(automaton, state, slice ? slice.rest : tree, mask);
  if (run && run.length >= SHORTEST_SLICE) slices.spend(run.characters, visited);
  return mask;
}

export function hasToken(mask: Uint32Array, token: number): boolean {
  return (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1;
}
