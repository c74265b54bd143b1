/**
 * Guesses the model's next tokens by looking up what followed the last tokens earlier in the text (prompt lookup,
 * https://github.com/apoorvumang/prompt-lookup-decoding; a form of speculative decoding, https://arxiv.org/abs/2211.17192).
 * A pass reads a draft together with what it has to read. The tokens are still chosen one by one, mods and all; where one is
 * the drafted one, the logits after it are at hand. So a draft changes nothing but the number of passes.
 *
 * How long a draft is worth while is worked out from how often such guesses were right in this very output, whether or not they
 * were drafted, and from what a longer pass costs. Both are the same in every run, so the same request has the same passes.
 *
 * Example: the prompt has "the quick brown fox", and the model has just said "the quick". "brown fox" is read along with "quick". The
 * model takes "brown", and then "fox": neither needs a pass.
 */
import type { TokenId } from "../../sdk/request.ts";
import { NgramIndex, type NgramMatch } from "./ngram-index.ts";

/** The most tokens of a draft. */
export const longestDraft = 15;

/** The cost of a pass of `tokens` tokens, in units of a pass of one token. */
export type PassCost = (tokens: number) => number;

/** A draft must make a token cheaper by at least this factor, because its estimated gain is not exact. */
const leastGain = 1.05;

/** The upper bounds of the match lengths by which guesses are counted: 1, 2, up to 4, up to 8, longer. */
const longestOfKind = [1, 2, 4, 8, Number.POSITIVE_INFINITY];
/**
 * For each match length, the right guesses out of `guessesBefore` that are assumed before the first real guess. The values
 * are typical of text that repeats parts of its prompt.
 */
const rightBefore = [0.6, 1.4, 2.4, 3, 3.5];
const guessesBefore = 4;

/** Each step multiplies the remembered use of drafts by this factor. */
const memory = 0.995;
/** If drafts are worth their cost, at least this share of draft tokens is used. */
const leastUse = 0.4;
/** The number of wasted draft tokens that are not counted. */
const grace = 6;

export class PromptLookup {
  readonly #cost: PassCost;
  readonly #promptLength: number;
  readonly #index = new NgramIndex();
  readonly #right = rightBefore.map(() => 0);
  readonly #guesses = rightBefore.map(() => 0);
  /**
   * By the index of a token of the output, in case the token is removed: the match length of its guess, and whether the
   * guess was right.
   */
  readonly #outcomes = new Map<number, { readonly kind: number; readonly isRight: boolean }>();
  #drafted = 0;
  #used = 0;

  constructor(cost: PassCost, promptLength: number) {
    this.#cost = cost;
    this.#promptLength = promptLength;
  }

  /**
   * A draft of the tokens after `sequence` (prompt and output); empty if no draft is worth its cost. Until the next `note`, the
   * same sequence gets the same draft, whatever was proposed meanwhile.
   * @param room the most tokens of the draft
   */
  propose(sequence: readonly TokenId[], room: number): TokenId[] {
    this.#follow(sequence);
    const match = room > 0 ? this.#index.match() : null;
    if (!match) return [];
    const length = this.#bestLength(match, Math.min(room, longestDraft));
    const draft: TokenId[] = [];
    // If the match reaches the end of the text, the draft continues with itself, since the text repeats.
    for (let at = match.next; draft.length < length; at++) {
      draft.push((at < sequence.length ? sequence[at] : draft[at - sequence.length]) as TokenId);
    }
    return draft;
  }

  /** Counts a step: how many draft tokens its pass read, and whether its logits came from a draft. */
  note(drafted: number, isUsed: boolean): void {
    this.#drafted = this.#drafted * memory + drafted;
    this.#used = this.#used * memory + (isUsed ? 1 : 0);
  }

  #follow(sequence: readonly TokenId[]): void {
    this.#index.follow(
      sequence,
      (token) => this.#judge(token),
      (index) => this.#forget(index),
    );
  }

  /**
   * Counts whether the guess for this token was right. Repetition inside the prompt is ignored, because it says little about
   * the model's output.
   */
  #judge(token: TokenId): void {
    const { tokens } = this.#index;
    if (tokens.length < this.#promptLength) return;
    const match = this.#index.match();
    if (!match) return;
    const outcome = { kind: kindOf(match.length), isRight: tokens[match.next] === token };
    this.#count(outcome, 1);
    this.#outcomes.set(tokens.length, outcome);
  }

  #forget(index: number): void {
    const outcome = this.#outcomes.get(index);
    if (!outcome) return;
    this.#outcomes.delete(index);
    this.#count(outcome, -1);
  }

  #count({ kind, isRight }: { readonly kind: number; readonly isRight: boolean }, by: 1 | -1): void {
    this.#guesses[kind] = (this.#guesses[kind] ?? 0) + by;
    if (isRight) this.#right[kind] = (this.#right[kind] ?? 0) + by;
  }

  /** The draft length with the lowest cost per token; 0 for no draft. Each right token makes the match longer. */
  #bestLength(match: NgramMatch, most: number): number {
    let best = 0;
    let bestGain = leastGain;
    let allRightProbability = this.#trust;
    let expectedTokens = 1;
    for (let length = 1; length <= most; length++) {
      const kind = kindOf(match.length + length - 1);
      allRightProbability *= this.#shareRight(kind);
      expectedTokens += allRightProbability;
      const gain = expectedTokens / this.#cost(length + 1);
      if (gain <= bestGain) continue;
      best = length;
      bestGain = gain;
    }
    return best;
  }

  #shareRight(kind: number): number {
    const right = (this.#right[kind] ?? 0) + (rightBefore[kind] ?? 0);
    return right / ((this.#guesses[kind] ?? 0) + guessesBefore);
  }

  /**
   * A factor below 1 if draft tokens are wasted although the guesses are right, for example because mods remove every token.
   */
  get #trust(): number {
    return Math.min(1, (this.#used + grace * leastUse) / ((this.#drafted + grace) * leastUse));
  }
}

function kindOf(length: number): number {
  return longestOfKind.findIndex((longest) => length <= longest);
}
