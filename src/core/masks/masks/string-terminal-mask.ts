/**
 * Masks inside string terminals. The tokens that stay inside the terminal or end with it are computed once per vocabulary; tokens
 * that continue after its end are found by a walk.
 */
import type { Expression, WorkBudget } from "../automaton/expression-node.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { mostBytes } from "../automaton/most-bytes.ts";
import { stringTerminalMachine } from "../automaton/string-terminal-machine.ts";
import { canonicalJsonAlphabet } from "../json-schema/scalars/string-alphabet.ts";
import { allCodePoints } from "../regex/code-points.ts";
import { anyOfSet } from "../regex/regex.ts";
import { TokenList } from "../vocabulary/token-list.ts";
import type { Tree } from "../vocabulary/tree.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { PlainRuns } from "./plain-run.ts";
import { type OpenNode, walkTree } from "./walk.ts";

export interface StringTerminalMask {
  /** Tokens that end inside the terminal, or at its end. Callers must not change the mask. */
  readonly mask: Uint32Array;
  /** The tree that was walked: all tokens, or those outside the slice. */
  readonly tree: Tree;
  /** The nodes of `tree` at which the terminal ends, and below which there are further tokens. */
  readonly exits: readonly number[];
}

/**
 * The number of terminals whose masks are cached, by vocabulary. Most terminals share masks with others: see
 * shared-masks.ts.
 */
const TERMINALS_KEPT = 6000;

/** The number of texts with a cached mask: many texts have the same form. */
const TEXTS_KEPT = 24_000;

/** Cached masks hold references to the trees of their slices. After this many dropped slices the masks are dropped too. */
const SLICES_OUTLIVED = 24;

const runs = new PlainRuns(stringTerminalMachine.automaton);

const found = new TokenList();

const infinity = Number.POSITIVE_INFINITY;

class StringTerminalMasks {
  readonly #vocabulary: Vocabulary;
  readonly #byText = new Map<Expression, StringTerminalMask>();
  /** By the text without counts out of reach. */
  readonly #byForm = new Map<Expression, StringTerminalMask>();
  #epoch = 0;
  /** The number of dropped slices when the masks were last dropped. */
  #dropped = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  of(text: Expression, workBudget: WorkBudget): StringTerminalMask {
    this.#tidy();
    return getOrCreate(this.#byText, text, () => {
      stringTerminalMachine.chargeTo(workBudget);
      return getOrCreate(this.#byForm, simplest(text, this.#vocabulary.longest), (form) => this.#make(form));
    });
  }

  #tidy(): void {
    const { automaton } = stringTerminalMachine;
    const { dropped } = this.#vocabulary.slices;
    const areTooMany = this.#byForm.size >= TERMINALS_KEPT || this.#byText.size >= TEXTS_KEPT;
    const isTooMuch = areTooMany || dropped - this.#dropped >= SLICES_OUTLIVED;
    if (this.#epoch === automaton.epoch && !isTooMuch) return;
    this.#byText.clear();
    this.#byForm.clear();
    this.#epoch = automaton.epoch;
    this.#dropped = dropped;
  }

  #make(text: Expression): StringTerminalMask {
    const { automaton } = stringTerminalMachine;
    const state = automaton.stateOf(text);
    const { slices, tree, sharedMasks } = this.#vocabulary;
    const run = runs.of(state);
    const slice = slices.find(run);
    const walked = slice ? slice.rest : tree;
    const exits: OpenNode[] = [];
    found.length = 0;
    const visited = walkTree(automaton, state, walked, found, {
      state: stringTerminalMachine.end,
      nodes: exits,
      isGeneral: true,
    });
    slices.spend(run, visited);
    return {
      mask: sharedMasks.of(slice ? [slice.mask] : [], found),
      tree: walked,
      exits: exits.map(({ node }) => node),
    };
  }
}

/**
 * Replaces counts that the next `longest` bytes cannot reach, which do not matter for masks. Without these counts, most places of a
 * long text have the same state. @param most after this many parts the text stays as it is
 */
function simplest(text: Expression, longest: number, most = 200): Expression {
  const { expressions, derivatives } = stringTerminalMachine.automaton;
  if (longest <= 0 || most === 0) return text;
  switch (text.kind) {
    case "sequence": {
      const { head, tail } = text;
      return expressions.pair(simplest(head, longest, most), simplest(tail, longest - head.least, most - 1));
    }
    case "union":
      return expressions.unionOf(text.members.map((member) => simplest(member, longest, most)));
    case "repeat": {
      const { body, min, max } = text;
      const reached = Math.ceil(longest / Math.max(1, body.least));
      return expressions.repeat(body, Math.min(min, reached + 1), max > reached ? infinity : max);
    }
    case "intersection": {
      const any = anyOfSet(expressions, canonicalJsonAlphabet, allCodePoints);
      const length = text.members.find((member) => member.kind === "repeat" && member.body === any);
      const other = text.members.find((member) => member !== length) as Expression;
      if (text.members.length > 2 || length?.kind !== "repeat" || length.min > 1) return text;
      // Each beginning of a text of the other member has an end before the greatest length.
      return length.max - longest < mostBytes(derivatives, other, ({ min }) => min + 1)
        ? text
        : expressions.intersection(
            simplest(other, longest, most),
            expressions.repeat(any, length.min, infinity),
          );
    }
    default:
      return text;
  }
}

const byVocabulary = new WeakMap<Vocabulary, StringTerminalMasks>();

/** @param text the rest of a terminal, in the arena of the shared machine @param workBudget what the work is charged to */
export function stringTerminalMaskOf(
  vocabulary: Vocabulary,
  text: Expression,
  workBudget: WorkBudget,
): StringTerminalMask {
  return getOrCreate(byVocabulary, vocabulary, () => new StringTerminalMasks(vocabulary)).of(
    text,
    workBudget,
  );
}
