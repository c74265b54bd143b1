/**
 * A strategy bound to a vocabulary: which tokens may come next. States are values, so a backtrack or a branch can use an
 * older state.
 */
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import type { Strategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { type Vocabulary, vocabularyOf } from "../vocabulary/vocabulary.ts";
import { forcedTokens } from "./forced-tokens.ts";
import { makeMask } from "./mask.ts";
import { MaskCache } from "./mask-cache.ts";
import { PlainRuns } from "./plain-run.ts";
import { makeSamplingMask } from "./sampling-mask.ts";

export interface ConstraintState {
  /** Whether the text so far is a whole answer, so that it may end here. */
  readonly canEnd: boolean;
  /** Nothing may follow. */
  readonly isComplete: boolean;
  /**
   * Bit `t & 31` of word `t >> 5` says whether token t may come next. End-of-sequence and special tokens are never set: use
   * `canEnd`. All callers share the array and must not change it.
   * @throws ConstraintLimitError
   */
  mask(): Uint32Array;
  /**
   * The tokens to sample from: those of `mask()` without the ones that lead a model astray, since what has to follow them belongs
   * to a longer token. For example, before a string not the lone space where the tokenizer has a token of a space and a quote.
   * `advance` accepts the tokens that are left out here, too.
   * @throws ConstraintLimitError
   */
  samplingMask(): Uint32Array;
  allows(token: number): boolean;
  /** The state after a token; null if the token is not allowed. @throws ConstraintLimitError */
  advance(token: number): ConstraintState | null;
  /** The tokens that have to come next, in the tokenizer's spelling, up to a choice; empty if the text may end or the next token is open. */
  forcedTokens(): readonly number[];
}

/** A strategy for one vocabulary. Requests share it, so its caches are filled from the second request on. */
export interface Constraint {
  readonly strategy: Strategy;
  /** @internal */
  readonly vocabulary: Vocabulary;
  readonly start: ConstraintState;
}

const constraints = new WeakMap<Strategy, WeakMap<Vocabulary, Constraint>>();

/** The constraint of a strategy over a tokenizer's vocabulary, made once. @throws StrategyError if it allows no text; ConstraintLimitError */
export function constraintOf(strategy: Strategy, tokenizer: TokenBytes): Constraint {
  const vocabulary = vocabularyOf(tokenizer);
  const byVocabulary = getOrCreate(constraints, strategy, () => new WeakMap());
  return getOrCreate(byVocabulary, vocabulary, () => createConstraint(strategy, vocabulary));
}

function createConstraint(strategy: Strategy, vocabulary: Vocabulary): Constraint {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, strategy.build(expressions));
  const shared: Shared = {
    vocabulary,
    automaton,
    runs: new PlainRuns(automaton),
    masks: new MaskCache(vocabulary.words),
    samplingMasks: new MaskCache(vocabulary.words),
    states: new Map(),
    forced: new Map(),
    epoch: 0,
  };
  if (automaton.start === DEAD) throw new StrategyError(strategy.kind, "", "it allows no text at all");
  return { strategy, vocabulary, start: stateOf(shared, automaton.start) };
}

/** Data that the states of one constraint share. The maps' keys are numbers of the automaton's states, valid in one epoch. */
interface Shared {
  readonly vocabulary: Vocabulary;
  readonly automaton: Automaton;
  readonly runs: PlainRuns;
  readonly masks: MaskCache;
  readonly samplingMasks: MaskCache;
  readonly states: Map<number, State>;
  readonly forced: Map<number, readonly number[]>;
  epoch: number;
}

function stateOf(shared: Shared, number: number): State {
  return getOrCreate(shared.states, number, () => new State(shared, number));
}

const countAllowed = (count: number, next: number): number => count + Number(next !== DEAD);

/** A state keeps its expression, not only its number, so it stays valid after the automaton forgets states. */
class State implements ConstraintState {
  readonly #shared: Shared;
  readonly #expression: Expression;
  #number: number;
  #epoch: number;

  constructor(shared: Shared, number: number) {
    this.#shared = shared;
    this.#expression = shared.automaton.expressionOf(number);
    this.#number = number;
    this.#epoch = shared.automaton.epoch;
  }

  get canEnd(): boolean {
    return this.#shared.automaton.isAccepting(this.#begin());
  }

  get isComplete(): boolean {
    const state = this.#begin();
    return this.#shared.automaton.isAccepting(state) && this.#shared.automaton.onlyByte(state) === -2;
  }

  /** The only byte that may follow; below 0 if several bytes or none may follow. */
  get onlyByte(): number {
    const state = this.#begin();
    return this.#shared.automaton.isAccepting(state) ? -1 : this.#shared.automaton.onlyByte(state);
  }

  get knownBytes(): number {
    const { automaton } = this.#shared;
    const state = this.#begin();
    return automaton.seenByte(state) >= 0 ? 1 : automaton.row(state).reduce(countAllowed, 0);
  }

  mask(): Uint32Array {
    const { masks } = this.#shared;
    const state = this.#begin();
    return getOrCreate(masks, state, () => makeMask(this.#shared, state));
  }

  samplingMask(): Uint32Array {
    const { automaton, samplingMasks, vocabulary } = this.#shared;
    const known = samplingMasks.get(automaton.frontOf(this.#begin()));
    if (known) return known;
    const mask = makeSamplingMask(vocabulary, this);
    // The state's number may have changed: examining states may have begun a new epoch.
    samplingMasks.set(automaton.frontOf(this.#begin()), mask);
    return mask;
  }

  allows(token: number): boolean {
    return this.#after(token) !== DEAD;
  }

  advance(token: number): State | null {
    const next = this.#after(token);
    return next === DEAD ? null : stateOf(this.#shared, this.#shared.automaton.tick(next));
  }

  forcedTokens(): readonly number[] {
    const { automaton, vocabulary, forced } = this.#shared;
    return getOrCreate(forced, this.#begin(), (state) => forcedTokens(automaton, state, vocabulary));
  }

  /** Begins a piece of work. @returns the state's number. */
  #begin(): number {
    const shared = this.#shared;
    const { automaton } = shared;
    automaton.begin();
    if (shared.epoch !== automaton.epoch) {
      shared.epoch = automaton.epoch;
      shared.masks.clear();
      shared.samplingMasks.clear();
      shared.states.clear();
      shared.forced.clear();
    }
    if (this.#epoch !== automaton.epoch) {
      this.#epoch = automaton.epoch;
      this.#number = automaton.stateOf(this.#expression);
    }
    return this.#number;
  }

  #after(token: number): number {
    const { automaton, vocabulary } = this.#shared;
    const state = this.#begin();
    const { bytes, start } = vocabulary.texts;
    const from = start[token];
    const to = start[token + 1];
    if (from === undefined || to === undefined || from === to) return DEAD;
    return automaton.walk(state, bytes, from, to);
  }
}
