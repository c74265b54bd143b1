/** The mask of a state: a ready slice where one fits, and a walk for the rest. */
import type { Automaton } from "./automaton.ts";
import { addOpen, distinctMask, type OpenMask, setTwins } from "./distinct-mask.ts";
import { type Expression, type LeafExpression, leafOf } from "./expression-node.ts";
import { leafMaskOf } from "./leaf-mask.ts";
import type { PlainRuns } from "./plain-run.ts";
import { SHORTEST_SLICE } from "./slices.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { stopAtOpen, walkBelow, walkTree } from "./walk.ts";

export interface MaskParts {
  readonly automaton: Automaton;
  readonly vocabulary: Vocabulary;
  readonly runs: PlainRuns;
}

/** `(vocabulary.words)` words, made anew or shared: not to be changed. @throws ConstraintLimitError */
export function makeMask(parts: MaskParts, state: number): Uint32Array {
  if (parts.automaton.remembers(state)) return distinctMask(parts, state, openMask);
  const made = openMask(parts, state);
  addOpen(parts, state, made);
  setTwins(parts.vocabulary, made.mask);
  return made.mask;
}

/** Without what lies behind a place from which on what is written is remembered. */
function openMask(parts: MaskParts, state: number): OpenMask {
  const expression = parts.automaton.expressionOf(state);
  const leaf = leafOf(expression);
  return leaf === null ? walked(parts, state) : fromLeaf(parts, expression, leaf);
}

/** What the leaf says, and behind it a walk. */
function fromLeaf(
  { automaton, vocabulary }: MaskParts,
  expression: Expression,
  leaf: LeafExpression,
): OpenMask {
  const { mask: inside, tree, exits } = leafMaskOf(vocabulary, leaf.body, automaton.expressions);
  const mask = inside.slice();
  const open: number[] = [];
  if (expression.kind === "sequence" && exits.length > 0) {
    const tail = automaton.stateOf(expression.tail);
    for (const node of exits) walkBelow(automaton, tail, tree, node, mask, stopAtOpen(open));
  }
  return { mask, tree, open };
}

function walked({ automaton, vocabulary, runs }: MaskParts, state: number): OpenMask {
  const { slices, tree, words } = vocabulary;
  const run = runs.of(state);
  const slice = run && slices.find(run.characters, run.length);
  const mask = slice ? slice.mask.slice() : new Uint32Array(words);
  const rest = slice ? slice.rest : tree;
  const open: number[] = [];
  const visited = walkTree(automaton, state, rest, mask, stopAtOpen(open));
  if (run && run.length >= SHORTEST_SLICE) slices.spend(run.characters, visited);
  return { mask, tree: rest, open };
}

export function hasToken(mask: Uint32Array, token: number): boolean {
  return (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1;
}
