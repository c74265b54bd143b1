/** Follows a constraint along one sequence of tokens, for users who do not want to store states. */
import { describeValue } from "../../base/show.ts";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import type { Strategy } from "../strategy.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { assertStrategy, toVocabulary } from "./check.ts";
import type { TransformersTokenizer } from "./vocabulary-from-tokenizer.ts";

export interface Matcher {
  /** The accepted tokens that `truncate` has not removed. */
  readonly tokens: readonly number[];
  /** The text of the tokens. An incomplete character is written as U+FFFD. */
  readonly text: string;
  /** The text so far is a whole answer: the sequence may end here. */
  readonly canEnd: boolean;
  /** No token may follow, only the end of the sequence. */
  readonly isComplete: boolean;
  /** The answer, without a stop sequence; null while the answer cannot end. */
  readonly answer: string | null;
  /**
   * Bit `t & 31` of word `t >> 5` says whether token t may come next; `ceil(vocabSize / 32)` words. Special tokens and
   * tokens that end the sequence are never in the mask: use `canEnd`. Tokens that mislead a model (see `samplingMask`) are
   * not in the mask either, though `accept` accepts them. All callers share the array and must not change it.
   * @throws ConstraintLimitError
   */
  mask(): Uint32Array;
  allows(token: number): boolean;
  /** Adds a token, or several. If one of them is not allowed, none is added. @throws RangeError that names the token; ConstraintLimitError */
  accept(tokens: number | readonly number[]): void;
  /**
   * The tokens that have to come next, in the tokenizer's spelling, up to a choice; empty if the text may end or the next token
   * is open. They are not accepted yet.
   */
  forcedTokens(): readonly number[];
  /**
   * Removes all tokens but the first `length`, in constant time.
   * @throws RangeError for a length that the sequence does not have.
   */
  truncate(length: number): void;
}

/**
 * Follows a sequence from its beginning, over a vocabulary or a tokenizer of @huggingface/transformers. Matchers of one strategy over one vocabulary share what they work out, so make the
 * strategy once, and a matcher for every answer.
 *
 * @example
 * const matcher = createMatcher(regex("\\d{4}-\\d{2}"), vocabulary);
 * while (!matcher.isComplete) matcher.accept(choose(matcher.mask()));
 *
 * @throws TypeError for what is no strategy or has no vocabulary. @throws ConstraintLimitError for a strategy that is too large.
 * @throws StrategyError for one that allows no text.
 */
export function createMatcher(strategy: Strategy, source: TokenBytes | TransformersTokenizer): Matcher {
  assertStrategy(strategy);
  const vocabulary = toVocabulary(source);
  const { start } = constraintOf(strategy, vocabulary);
  const tokens: number[] = [];
  // states[n] is the state after n tokens.
  const states: ConstraintState[] = [start];
  const state = (): ConstraintState => states.at(-1) ?? start;
  const textOf = () => {
    const decoder = new TextDecoder();
    const { bytesOf } = vocabularyOf(vocabulary);
    return (
      tokens.map((token) => decoder.decode(bytesOf(token), { stream: true })).join("") + decoder.decode()
    );
  };
  return {
    get tokens() {
      return [...tokens];
    },
    get text() {
      return textOf();
    },
    get canEnd() {
      return state().canEnd;
    },
    get isComplete() {
      return state().isComplete;
    },
    get answer() {
      return state().canEnd ? strategy.answerOf(textOf()) : null;
    },
    mask: () => state().samplingMask(),
    allows: (token) => state().allows(token),
    accept(given) {
      const added = typeof given === "number" ? [given] : given;
      const next = [state()];
      for (const [index, token] of added.entries()) {
        const after = next[index]?.advance(token) ?? null;
        if (after === null) throw new RangeError(notAllowed(strategy, token, tokens.length + index));
        next.push(after);
      }
      tokens.push(...added);
      states.push(...next.slice(1));
    },
    forcedTokens: () => state().forcedTokens(),
    truncate(length) {
      if (!Number.isInteger(length) || length < 0 || length > tokens.length) {
        throw new RangeError(
          `The length is ${describeValue(length)}: give a whole number from 0 to ${tokens.length}.`,
        );
      }
      tokens.length = length;
      states.length = length + 1;
    },
  };
}

function notAllowed(strategy: Strategy, token: number, position: number): string {
  return `Token ${describeValue(token)} is not allowed by ${strategy.kind} after ${position} tokens: choose a token that mask() allows.`;
}
