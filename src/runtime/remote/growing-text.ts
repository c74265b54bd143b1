/**
 * The tokens of a conversation, which grow with each step. A step sees the text as it was, without a copy: most steps are read from a
 * stream and need only its length, and a copy of a long text would take longer than the step.
 *
 * Example: append [1, 2]; `start` = upTo(2); append [3]; truncate(1); append [9]. The text is [1, 9], and `start` still has [1, 2].
 */
import type { TokenId } from "../../core/sdk/request.ts";

/** The beginning of a text, up to some length. */
export interface TextStart {
  readonly length: number;
  /** The tokens; copied at the first call if the text has grown since. */
  tokens(): readonly TokenId[];
}

/** A text that does not grow. */
export const fixedText = (tokens: readonly TokenId[]): TextStart => ({
  length: tokens.length,
  tokens: () => tokens,
});

export class GrowingText {
  /** Tokens are only added to this list, since starts of the text refer to it; a shorter text is a new list. */
  #tokens: TokenId[] = [];

  get length(): number {
    return this.#tokens.length;
  }

  append(tokens: readonly TokenId[]): void {
    for (const token of tokens) this.#tokens.push(token);
  }

  truncate(length: number): void {
    if (length < this.#tokens.length) this.#tokens = this.#tokens.slice(0, length);
  }

  upTo(length: number): TextStart {
    const all = this.#tokens;
    let copy: readonly TokenId[] | null = null;
    return {
      length,
      tokens: () => {
        copy ??= all.slice(0, length);
        return copy;
      },
    };
  }
}
