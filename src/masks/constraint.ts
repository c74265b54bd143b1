/** A strategy bound to a vocabulary: which tokens may come next. States are values: a backtrack or a branch keeps an older one. */
import { Automaton, DEAD } from "./automaton.ts";
import { Expressions } from "./expression.ts";
import { forcedTokens } from "./forced-tokens.ts";
import type { Strategy } from "./strategy.ts";
import { type TokenBytes, type Vocabulary, vocabularyOf } from "./vocabulary.ts";
import { walkMask } from "./walk.ts";

export interface ConstraintState {
  /** The text so far is a whole answer: it may end here. */
  readonly canEnd: boolean;
  /** Nothing may follow. */
  readonly isComplete: boolean;
  /**
   * Bit `t & 31` of word `t >> 5` says whether token t may come next. End-of-sequence and special tokens are never set:
   * the end is `canEnd`. Shared by all who ask: not to be changed.
   * @throws ConstraintLimitError
   */
  mask(): Uint32Array;
  allows(token: number): boolean;
  /** The state after a token; null when it is not allowed. */
  advance(token: number): ConstraintState | null;
  /** Tokens of the only possible continuation, spelled as the tokenizer would spell them; empty where there is a choice. */
  forcedTokens(): readonly number[];
}

/** Shared by requests: its caches are warm from the second one on. */
export interface Constraint {
  readonly strategy: Strategy;
  readonly vocabulary: Vocabulary;
  readonly start: ConstraintState;
}

const constraints = new WeakMap<Strategy, WeakMap<Vocabulary, Constraint>>();

/** The constraint of a strategy over a tokenizer's vocabulary, made once. @throws ConstraintLimitError */
export function constraintOf(strategy: Strategy, tokenizer: TokenBytes): Constraint {
  const vocabulary = vocabularyOf(tokenizer);
  let ofStrategy = constraints.get(strategy);
  if (!ofStrategy) {
    ofStrategy = new WeakMap();
    constraints.set(strategy, ofStrategy);
  }
  let found = ofStrategy.get(vocabulary);
  if (!found) {
    found = createConstraint(strategy, vocabulary);
    ofStrategy.set(vocabulary, found);
  }
  return found;
}

function createConstraint(strategy: Strategy, vocabulary: Vocabulary): Constraint {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, strategy.build(expressions));
  const masks = new Map<number, Uint32Array>();

  class State implements ConstraintState {
    constructor(
      readonly automatonState: number,
      readonly before: State | null,
      readonly token: number,
    ) {}

    get canEnd(): boolean {
      return automaton.isAccepting(this.automatonState);
    }

    get isComplete(): boolean {
      return this.canEnd && automaton.row(this.automatonState).every((next) => next === DEAD);
    }

    mask(): Uint32Array {
      let mask = masks.get(this.automatonState);
      if (!mask) {
        mask = walkMask(automaton, this.automatonState, vocabulary);
        masks.set(this.automatonState, mask);
      }
      return mask;
    }

    allows(token: number): boolean {
      return this.#after(token) !== DEAD;
    }

    advance(token: number): State | null {
      const next = this.#after(token);
      return next === DEAD ? null : new State(automaton.tick(next), this, token);
    }

    forcedTokens(): readonly number[] {
      return forcedTokens(automaton, this.automatonState, vocabulary, this.#tokens());
    }

    #after(token: number): number {
      const bytes = vocabulary.bytes[token];
      if (bytes === undefined || bytes.length === 0 || vocabulary.endOfSequence.includes(token)) return DEAD;
      let state = this.automatonState;
      for (const byte of bytes) {
        state = automaton.step(state, byte);
        if (state === DEAD) return DEAD;
      }
      return state;
    }

    #tokens(): number[] {
      const tokens: number[] = [];
      for (let state: State = this; state.before !== null; state = state.before) tokens.push(state.token);
      return tokens.reverse();
    }
  }

  return { strategy, vocabulary, start: new State(automaton.start, null, -1) };
}
