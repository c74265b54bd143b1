/**
 * The stretch of the output in which a driver of questions puts its tokens: `#actual`, the tokens that were added to the
 * output since the stretch began; `#wanted`, the tokens that should stand at its beginning; and the change that turns
 * `#actual` into `#wanted`. The class knows tokens, but no questions. `SelfPromptDriver` has an example.
 */
import { commonPrefixLength } from "../../base/shared-length.ts";
import type { TokenId } from "../request.ts";
import type { QuestionEdit } from "./self-prompt-emission.ts";

export class SelfPromptSpan {
  /** Number of output tokens before the stretch; null until the stretch begins. */
  #start: number | null = null;
  /** All tokens of the output after the first `#start`. */
  #actual: TokenId[] = [];
  /**
   * The first `#own` tokens of `#actual` belong to the driver: settled text, prompt, and the answer so far. Later tokens
   * belong to another mod or follow the answer.
   */
  #own = 0;
  /**
   * The tokens that the driver wants at this place: first the settled tokens, then the question's prompt. The answer follows
   * these tokens.
   */
  #wanted: readonly TokenId[] = [];
  /** The last change asked for the first `#asked` tokens of `#wanted`. */
  #asked = 0;
  /** The first `#settled` tokens of `#wanted` are final: answers and texts that stay in the output. */
  #settled = 0;
  /**
   * If the driver's tokens must change, at most the first `#stays` tokens stay; all others are removed and added again. So
   * tokens that were emitted in one action are also removed in one action.
   */
  #stays = 0;
  /** True once `#wanted` stands in the output; the answer follows. */
  #isPlaced = false;

  get isBegun(): boolean {
    return this.#start !== null;
  }

  get isPlaced(): boolean {
    return this.#isPlaced;
  }

  /** Whether none of the tokens in the output belongs to the driver. */
  get isEmpty(): boolean {
    return this.#own === 0;
  }

  /** The driver's tokens in the output. */
  get own(): readonly TokenId[] {
    return this.#actual.slice(0, this.#own);
  }

  /** The driver's tokens after `#wanted`: the answer so far. */
  get answer(): readonly TokenId[] {
    return this.#actual.slice(this.#wanted.length, this.#own);
  }

  /** The tokens after the driver's own. */
  get foreign(): readonly TokenId[] {
    return this.#actual.slice(this.#own);
  }

  /** Whether the wanted tokens are there, and no other token of the driver. */
  get isAsWanted(): boolean {
    return (
      this.#wanted.length === this.#own &&
      commonPrefixLength(this.#wanted, this.#actual, this.#own) === this.#own
    );
  }

  /** Whether no text belongs to the driver, not even the tokens that it asked for at the last event. */
  get hasNothing(): boolean {
    if (this.#start === null) return true;
    const there = commonPrefixLength(this.#actual, this.#wanted, this.#actual.length);
    return this.#own === 0 && !this.#isPlaced && there < (this.#asked || this.#wanted.length);
  }

  /** Begins the stretch after the first `step` tokens of the output. */
  begin(step: number): void {
    this.#start = step;
    this.#actual = [];
    this.#own = 0;
  }

  /** Undoes `begin`; `#wanted` does not change. */
  leave(): void {
    this.#start = null;
  }

  /**
   * Brings `#actual` up to date with an output of `before` tokens, to which `added` were added.
   * @returns how many earlier tokens the driver did not get
   */
  follow(before: number, added: readonly TokenId[]): number {
    if (this.#start === null) return 0;
    const missed = before - this.#start - this.#actual.length;
    if (missed > 0) return missed;
    this.#start = Math.min(this.#start, before);
    this.#actual.length = before - this.#start;
    this.#own = Math.min(this.#own, this.#actual.length);
    this.#stays = Math.min(this.#stays, this.#own);
    if (this.#own < this.#wanted.length) this.#isPlaced = false;
    this.#actual.push(...added);
    return 0;
  }

  /** Sets the wanted tokens: the settled tokens, then the prompt of the next question. */
  setTarget(settled: readonly TokenId[], prompt: readonly TokenId[]): void {
    this.#wanted = [...settled, ...prompt];
    this.#settled = settled.length;
    this.#isPlaced = false;
    this.#asked = 0;
    this.#stays = 0;
  }

  /** Allows the driver's tokens to stay in place as far as they equal `tokens`. */
  mayStay(tokens: readonly TokenId[]): void {
    this.#stays = commonPrefixLength(tokens, this.#actual, this.#own);
  }

  /** Counts the next token after the driver's own as the driver's. */
  takeNext(): void {
    this.#own += 1;
  }

  /** Counts all tokens of the stretch as the driver's. */
  takeAll(): void {
    this.#own = this.#actual.length;
  }

  /**
   * The change that turns `#actual` into `#wanted`; null if they are equal. @param isHidden the question is hidden
   * @param heal `#wanted` ends with a text that may be healed
   */
  change(isHidden: boolean, heal = false): QuestionEdit | null {
    if (this.#isPlaced) return null;
    let shared = commonPrefixLength(this.#actual, this.#wanted, this.#own);
    const there = commonPrefixLength(this.#actual, this.#wanted, this.#actual.length);
    // The driver's own tokens arrive all at once. If only a beginning of them is there, the tokens belong to another
    // mod.
    const isWhole = there === this.#asked || there === this.#wanted.length;
    if (shared === this.#own && isWhole) shared = this.#own = there;
    if (shared === this.#own && shared === this.#wanted.length) {
      this.#release();
      return null;
    }
    const { foreign } = this;
    if (foreign.length > 0) {
      // Another mod's tokens stay in the text, after the settled tokens.
      this.#wanted = this.#wanted.toSpliced(this.#settled, 0, ...foreign);
      this.#settled += foreign.length;
      this.#own = this.#actual.length;
      shared = commonPrefixLength(this.#actual, this.#wanted, this.#own);
    }
    if (shared < this.#own) shared = Math.min(shared, this.#stays);
    // Settled tokens must not be hidden, so a second action adds the hidden question. It needs no further forward pass.
    const isSettledFirst = isHidden && shared < this.#settled;
    this.#asked = isSettledFirst ? this.#settled : this.#wanted.length;
    return {
      remove: this.#actual.length - shared,
      tokens: this.#wanted.slice(shared, this.#asked),
      hidden: isHidden && !isSettledFirst,
      heal,
    };
  }

  /** Releases settled tokens: they belong to the text from here on, and the stretch begins after them. */
  #release(): void {
    this.#start = (this.#start ?? 0) + this.#settled;
    this.#actual.splice(0, this.#settled);
    this.#own -= this.#settled;
    this.#stays = 0;
    this.#wanted = this.#wanted.slice(this.#settled);
    this.#settled = 0;
    this.#isPlaced = true;
  }
}
