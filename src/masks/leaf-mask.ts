/** Masks inside leaves: which tokens stay inside or end with the leaf, once per vocabulary; what goes on behind it is walked. */
import type { Expression, Payer } from "./expression-node.ts";
import { leafMachine } from "./leaf-machine.ts";
import { PlainRuns } from "./plain-run.ts";
import { SHORTEST_SLICE } from "./slices.ts";
import type { Tree } from "./tree.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { walkTree } from "./walk.ts";

export interface LeafMask {
  /** Tokens that end inside the leaf, or where it ends. Not to be changed. */
  readonly mask: Uint32Array;
  readonly tree: Tree;
  /** The nodes of `tree` at which the leaf ends, and below which there are further tokens. */
  readonly exits: Int32Array;
}

/** Masks that are kept, by vocabulary. */
const MASKS_KEPT = 2000;

const runs = new PlainRuns(leafMachine.automaton);

class LeafMasks {
  readonly #vocabulary: Vocabulary;
  readonly #masks = new Map<number, LeafMask>();
  #epoch = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  of(text: Expression, payer: Payer): LeafMask {
    const { automaton } = leafMachine;
    if (this.#epoch !== automaton.epoch || this.#masks.size >= MASKS_KEPT) this.#masks.clear();
    this.#epoch = automaton.epoch;
    leafMachine.chargeTo(payer);
    const state = automaton.stateOf(simplest(text, this.#vocabulary.longest));
    let found = this.#masks.get(state);
    if (found === undefined) {
      found = this.#make(state);
      this.#masks.set(state, found);
    }
    return found;
  }

  #make(state: number): LeafMask {
    const { automaton } = leafMachine;
    const { slices, tree, words } = this.#vocabulary;
    const run = runs.of(state);
    const slice = run && slices.find(run.characters, run.length);
    const mask = slice ? slice.mask.slice() : new Uint32Array(words);
    const walked = slice ? slice.rest : tree;
    const exits: number[] = [];
    const visited = walkTree(automaton, state, walked, mask, { state: leafMachine.end, nodes: exits });
    if (run && run.length >= SHORTEST_SLICE) slices.spend(run.characters, visited);
    return { mask, tree: walked, exits: Int32Array.from(exits) };
  }
}

/** Counts that no token can reach make no difference to it: each repetition takes a byte at least. */
function simplest(text: Expression, longest: number): Expression {
  if (text.kind !== "sequence" || text.head.kind !== "repeat") return text;
  const { body, min, max } = text.head;
  return leafMachine.repeated(
    body,
    Math.min(min, longest + 1),
    max > longest ? Number.POSITIVE_INFINITY : max,
    text.tail,
  );
}

const byVocabulary = new WeakMap<Vocabulary, LeafMasks>();

export function leafMaskOf(vocabulary: Vocabulary, text: Expression, payer: Payer): LeafMask {
  let masks = byVocabulary.get(vocabulary);
  if (masks === undefined) {
    masks = new LeafMasks(vocabulary);
    byVocabulary.set(vocabulary, masks);
  }
  return masks.of(text, payer);
}
