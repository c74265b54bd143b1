/** The output of a request: its tokens, where they came from, and the text they make. */

import { Detokenizer } from "../../sdk/detokenizer.ts";
import type { TokenSource } from "../../sdk/event.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { EmittedToken } from "../ports/mod-host.ts";

/** The text that tokens added together. */
export function addedText(group: readonly EmittedToken[]): string {
  return group.map(({ text }) => text).join("");
}

/** The hidden tokens at the end of the output, from `start` on, and the mod that began them. */
interface HiddenStretch {
  readonly start: number;
  readonly mod: number;
}

/** A text at the end of the sequence that a mod or the prompt gave: its last tokens may be replaced (`healing.ts`). */
export interface HealableEnd {
  /** The tokens of the sequence before this length stay. */
  readonly start: number;
  /** Index of the mod that gave the text; null for the text of the prompt. */
  readonly mod: number | null;
}

/** The last tokens of the prompt that token healing removed: a token of the output now contains their text. */
interface HealedPrompt {
  readonly tokens: readonly TokenId[];
  /** UTF-16 length of the text of these tokens. */
  readonly textLength: number;
}

/**
 * Tokens may be hidden: they belong to a question to the model that is removed later. Hidden tokens are always at the end of
 * the output. All tokens after the first hidden token are hidden too, until the first one is removed.
 */
export class Output {
  #sequence: TokenId[];
  #promptLength: number;
  readonly #isPromptText: boolean;
  /** The text at the end of the output that a mod or the prompt gave; null after the next token. */
  #healableEnd: (HealableEnd & { readonly end: number }) | null = null;
  #healedPrompt: HealedPrompt | null = null;
  readonly emitted: EmittedToken[] = [];
  readonly #detokenizer: Detokenizer;
  #nextIndex = 0;
  #hidden: HiddenStretch | null = null;
  #hiddenCount = 0;
  /** The largest number of tokens that the output has had, hidden tokens apart. */
  #longest = 0;
  /** The value of `#longest` before the last tokens were appended. */
  #longestBefore = 0;
  /** The length of the sequence at the last step; null after one of its tokens was removed. */
  #stepLength: number | null = null;
  #hasPromptStep = false;
  /** UTF-16 length of the text that has been searched for stop sequences and has not changed since. */
  #searchedLength = 0;

  /** `isPromptText`: the prompt was given as a text, so that its end may be healed. */
  constructor(prompt: readonly TokenId[], tokenizer: Tokenizer, isPromptText = false) {
    this.#sequence = [...prompt];
    this.#promptLength = prompt.length;
    this.#isPromptText = isPromptText;
    this.#detokenizer = new Detokenizer(tokenizer);
  }

  /**
   * Prompt and output: the tokens that the KV cache must hold. Tokens are only added to the list; without tokens that were removed,
   * the sequence is a new list, because the KV cache does not compare a list from its beginning twice.
   */
  get sequence(): readonly TokenId[] {
    return this.#sequence;
  }

  /** The number of prompt tokens, without the tokens that token healing took back. */
  get promptLength(): number {
    return this.#promptLength;
  }

  /** The number of prompt tokens that token healing removed, because a token of the output contains their text. */
  get healedPromptTokens(): number {
    return this.#healedPrompt?.tokens.length ?? 0;
  }

  /** The text at the end of the sequence, if it may be healed; otherwise null. */
  get healableEnd(): HealableEnd | null {
    if (this.length > 0) return this.#healableEnd?.end === this.sequence.length ? this.#healableEnd : null;
    // The first token of a prompt stays: a model has to read at least one.
    return this.#isPromptText && !this.#healedPrompt ? { start: 1, mod: null } : null;
  }

  /**
   * Marks the last `count` tokens as a text that may be healed. Streams hold such a text back until the next token, so
   * `longest` does not count the tokens before.
   */
  markLastHealable(count: number, mod: number | null): void {
    const end = this.sequence.length;
    this.#healableEnd = { start: end - count, end, mod };
    this.#longest = Math.max(this.#longestBefore, Math.min(this.visibleLength, this.length - count));
  }

  /** Removes the last tokens of the prompt: the next token will begin with their `text`. */
  healPrompt(count: number, text: string): void {
    this.#promptLength -= count;
    const tokens = this.sequence.slice(this.#promptLength);
    this.#sequence = this.sequence.slice(0, this.#promptLength);
    this.#healedPrompt = { tokens, textLength: text.length };
    this.#searchedLength = text.length;
    this.#stepLength = null;
  }

  get prompt(): readonly TokenId[] {
    return this.sequence.slice(0, this.promptLength);
  }

  /** Emitted tokens. */
  get length(): number {
    return this.emitted.length;
  }

  /** The number of tokens of the output that are not hidden. They come before the hidden tokens. */
  get visibleLength(): number {
    return this.#hidden?.start ?? this.length;
  }

  /**
   * The largest number of tokens that the output has had, hidden tokens apart. A stream may have sent all of them, except
   * the tokens that the stream holds back.
   */
  get longest(): number {
    return this.#longest;
  }

  /** Index of the mod that began the hidden tokens at the end; null if there are none. */
  get hiddenBy(): number | null {
    return this.#hidden?.mod ?? null;
  }

  /** How many tokens were hidden, including removed ones. */
  get hiddenCount(): number {
    return this.#hiddenCount;
  }

  /** Prompt and output, without the hidden tokens. */
  get visibleSequence(): readonly TokenId[] {
    return this.#hidden ? this.sequence.slice(0, this.promptLength + this.#hidden.start) : this.sequence;
  }

  /** Begins a step, whose logits follow the present sequence. */
  beginStep(): void {
    this.#stepLength = this.sequence.length;
    if (this.length === 0) this.#hasPromptStep = true;
  }

  /** Whether the logits of an earlier step can serve this step: the loop has only those of the last step and of the prompt. */
  get hasStepLogits(): boolean {
    return this.#stepLength === this.sequence.length || (this.length === 0 && this.#hasPromptStep);
  }

  get tokens(): TokenId[] {
    return this.sequence.slice(this.promptLength);
  }

  get lastToken(): TokenId | undefined {
    return this.emitted.at(-1)?.token;
  }

  /**
   * Text of the first `length` tokens. If the last character is incomplete, its bytes are left out: the same text as that
   * of the `added` events together.
   */
  textOf(length: number): string {
    return this.#detokenizer.text.slice(this.#promptTextLength, this.#detokenizer.textLengthAt(length));
  }

  /** The text that a token would add, as in `EmittedToken.text`. */
  textToAdd(token: TokenId): string {
    return this.#detokenizer.peek(token).slice(this.#nextTextInPrompt());
  }

  /** UTF-16 length of the beginning of the tokens' text that belongs to the prompt. */
  get #promptTextLength(): number {
    return this.#healedPrompt?.textLength ?? 0;
  }

  /** How much of the next token's text belongs to the prompt. */
  #nextTextInPrompt(): number {
    return Math.max(0, this.#promptTextLength - this.#detokenizer.text.length);
  }

  /** `hiddenBy`: index of the mod that hides the tokens and all tokens after them; null for visible tokens. */
  append(
    tokens: readonly TokenId[],
    source: TokenSource,
    hiddenBy: number | null = null,
  ): readonly EmittedToken[] {
    // Puts the removed end of a healed prompt back, because only a sampled token can contain it.
    if (this.length === 0 && source !== "sampled") this.#restorePrompt();
    if (hiddenBy !== null && tokens.length > 0) this.#hidden ??= { start: this.length, mod: hiddenBy };
    const isHidden = this.#hidden !== null;
    const added = tokens.map((token) => {
      this.#sequence.push(token);
      const inPrompt = this.#nextTextInPrompt();
      const text = this.#detokenizer.append(token).slice(inPrompt);
      const entry = { token, text, index: this.#nextIndex++, source, isHidden };
      return inPrompt > 0 ? { ...entry, inPrompt } : entry;
    });
    if (isHidden) this.#hiddenCount += tokens.length;
    this.emitted.push(...added);
    this.#longestBefore = this.#longest;
    this.#longest = Math.max(this.#longest, this.visibleLength);
    return added;
  }

  /** Makes mod number `mod` the owner of the hidden tokens at the end. */
  setHiddenOwner(mod: number): void {
    if (this.#hidden) this.#hidden = { ...this.#hidden, mod };
  }

  /** Removes the last `count` tokens and returns them in their order. */
  remove(count: number): readonly EmittedToken[] {
    const length = this.length - count;
    this.#detokenizer.truncate(length);
    if (this.#hidden && length <= this.#hidden.start) this.#hidden = null;
    this.#searchedLength = Math.min(this.#searchedLength, this.#detokenizer.text.length);
    this.#sequence = this.sequence.slice(0, this.promptLength + length);
    if (this.#healableEnd && this.#healableEnd.end > this.sequence.length) this.#healableEnd = null;
    if (length === 0) this.#restorePrompt();
    if (this.#stepLength !== null && this.#stepLength > this.sequence.length) this.#stepLength = null;
    return this.emitted.splice(length);
  }

  /** Restores the prompt's own tokens, after the token that contained their text was removed. */
  #restorePrompt(): void {
    if (!this.#healedPrompt) return;
    this.#sequence.push(...this.#healedPrompt.tokens);
    this.#promptLength = this.sequence.length;
    this.#healedPrompt = null;
    this.#stepLength = null;
    this.#searchedLength = 0;
  }

  /**
   * UTF-16 index of the first stop sequence in the output without hidden tokens, or -1. Searches only the text that was added since
   * the last search.
   */
  findStop(stops: readonly string[]): number {
    const whole = this.#detokenizer.text;
    const text = this.#hidden ? whole.slice(0, this.#detokenizer.textLengthAt(this.#hidden.start)) : whole;
    let first = -1;
    for (const stop of stops) {
      const start = text.indexOf(
        stop,
        Math.max(this.#promptTextLength, this.#searchedLength - stop.length + 1),
      );
      if (start >= 0 && (first < 0 || start < first)) first = start;
    }
    // A match must be found again by the next search, so `#searchedLength` stays before it.
    if (first < 0) this.#searchedLength = Math.max(this.#searchedLength, text.length);
    return first < 0 ? first : first - this.#promptTextLength;
  }
}
