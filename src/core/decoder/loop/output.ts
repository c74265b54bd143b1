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

/** The tokens from `start` to the end of the output are hidden; a mod began it. */
interface HiddenStretch {
  readonly start: number;
  readonly mod: number;
}

/** The end of the sequence was given as a text: the last tokens may be taken back (`healing.ts`). */
export interface OpenEnd {
  /** Length of the sequence up to which tokens stay. */
  readonly start: number;
  /** Index of the mod that gave the text; null for the text of the prompt. */
  readonly mod: number | null;
}

/** The last tokens of the prompt, which a token of the output now spells. */
interface HealedPrompt {
  readonly tokens: readonly TokenId[];
  /** UTF-16 length of their text. */
  readonly textLength: number;
}

/**
 * Tokens may be hidden: a question to the model, which stands in the text only for a while. Hidden tokens are always the
 * last ones. The first of them begins the stretch, whatever is appended after it is hidden too, and the stretch is over
 * when its first token is removed.
 */
export class Output {
  /** Prompt and output: the tokens that the KV cache must hold. */
  readonly sequence: TokenId[];
  #promptLength: number;
  readonly #isPromptText: boolean;
  /** The text at the end of the output that a mod or the prompt gave; null once further tokens follow. */
  #open: (OpenEnd & { readonly end: number }) | null = null;
  #healedPrompt: HealedPrompt | null = null;
  readonly emitted: EmittedToken[] = [];
  readonly #detokenizer: Detokenizer;
  #nextIndex = 0;
  #hidden: HiddenStretch | null = null;
  #hiddenCount = 0;
  /** The most tokens that ever stood in the output and were not hidden. */
  #longest = 0;
  /** The value of `#longest` before the last tokens were appended. */
  #longestBefore = 0;
  /** Tokens of the sequence at the last step; none once one of them was removed. */
  #stepLength: number | null = null;
  #hasPromptStep = false;
  /** UTF-16 length of the text that has been searched for stop texts and has not changed since. */
  #searched = 0;

  /** `isPromptText`: the prompt was given as a text, so that its end may be healed. */
  constructor(prompt: readonly TokenId[], tokenizer: Tokenizer, isPromptText = false) {
    this.sequence = [...prompt];
    this.#promptLength = prompt.length;
    this.#isPromptText = isPromptText;
    this.#detokenizer = new Detokenizer(tokenizer);
  }

  /** The number of prompt tokens, without the tokens that token healing took back. */
  get promptLength(): number {
    return this.#promptLength;
  }

  /** Tokens of the prompt that were taken back, because a token of the output spells them. */
  get healedPromptTokens(): number {
    return this.#healedPrompt?.tokens.length ?? 0;
  }

  /** The text that stands at the end of the sequence, if it may be healed. */
  get openEnd(): OpenEnd | null {
    if (this.length > 0) return this.#open?.end === this.sequence.length ? this.#open : null;
    // The first token of a prompt stays: a model has to read at least one.
    return this.#isPromptText && !this.#healedPrompt ? { start: 1, mod: null } : null;
  }

  /**
   * The tokens put at the end last were given as a text. `count`: how many they are. Streams hold such a text back until the next
   * token, so that the tokens do not count for `longest` before.
   */
  openLast(count: number, mod: number | null): void {
    const end = this.sequence.length;
    this.#open = { start: end - count, end, mod };
    this.#longest = Math.max(this.#longestBefore, Math.min(this.keptLength, this.length - count));
  }

  /** Takes the last tokens of the prompt away: the next token will spell `text`, and more. */
  healPrompt(count: number, text: string): void {
    this.#promptLength -= count;
    const tokens = this.sequence.splice(this.#promptLength);
    this.#healedPrompt = { tokens, textLength: text.length };
    this.#searched = text.length;
    this.#stepLength = null;
  }

  get prompt(): readonly TokenId[] {
    return this.sequence.slice(0, this.promptLength);
  }

  /** Emitted tokens. */
  get length(): number {
    return this.emitted.length;
  }

  /** The number of emitted tokens that are not hidden. They come first. */
  get keptLength(): number {
    return this.#hidden?.start ?? this.length;
  }

  /** The largest number of tokens without hidden ones that the output has had: a stream may have sent all of these but the ones that it holds back. */
  get longest(): number {
    return this.#longest;
  }

  /** Index of the mod that began the hidden tokens at the end; null if there are none. */
  get hiddenBy(): number | null {
    return this.#hidden?.mod ?? null;
  }

  /** Tokens that were ever emitted hidden. */
  get hiddenCount(): number {
    return this.#hiddenCount;
  }

  /** Prompt and output, without the hidden tokens. */
  get keptSequence(): readonly TokenId[] {
    return this.#hidden ? this.sequence.slice(0, this.promptLength + this.#hidden.start) : this.sequence;
  }

  /** Begins a step: its logits follow the present sequence. */
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
    return this.#detokenizer.text.slice(this.#textInPrompt, this.#detokenizer.textLengthAt(length));
  }

  /** The text that a token would add, as in `EmittedToken.text`. */
  textToAdd(token: TokenId): string {
    return this.#detokenizer.peek(token).slice(this.#inPromptOfNext());
  }

  /** UTF-16 length of the beginning of the tokens' text that belongs to the prompt. */
  get #textInPrompt(): number {
    return this.#healedPrompt?.textLength ?? 0;
  }

  /** How much of the next token's text belongs to the prompt. */
  #inPromptOfNext(): number {
    return Math.max(0, this.#textInPrompt - this.#detokenizer.text.length);
  }

  /** `hiddenBy`: index of the mod that wants the tokens, and all after them, hidden. */
  append(
    tokens: readonly TokenId[],
    source: TokenSource,
    hiddenBy: number | null = null,
  ): readonly EmittedToken[] {
    // Only a token that was chosen for it spells the end of a healed prompt.
    if (this.length === 0 && source !== "sampled") this.#restorePrompt();
    if (hiddenBy !== null && tokens.length > 0) this.#hidden ??= { start: this.length, mod: hiddenBy };
    const isHidden = this.#hidden !== null;
    const added = tokens.map((token) => {
      this.sequence.push(token);
      const inPrompt = this.#inPromptOfNext();
      const text = this.#detokenizer.append(token).slice(inPrompt);
      const entry = { token, text, index: this.#nextIndex++, source, isHidden };
      return inPrompt > 0 ? { ...entry, inPrompt } : entry;
    });
    if (isHidden) this.#hiddenCount += tokens.length;
    this.emitted.push(...added);
    this.#longestBefore = this.#longest;
    this.#longest = Math.max(this.#longest, this.keptLength);
    return added;
  }

  /** The hidden tokens at the end are from here on those of mod number `mod`. */
  hiddenBelongTo(mod: number): void {
    if (this.#hidden) this.#hidden = { ...this.#hidden, mod };
  }

  /** Takes the last `count` tokens away and gives them in their order. */
  remove(count: number): readonly EmittedToken[] {
    const length = this.length - count;
    this.#detokenizer.truncate(length);
    if (this.#hidden && length <= this.#hidden.start) this.#hidden = null;
    this.#searched = Math.min(this.#searched, this.#detokenizer.text.length);
    this.sequence.length = this.promptLength + length;
    if (this.#open && this.#open.end > this.sequence.length) this.#open = null;
    if (length === 0) this.#restorePrompt();
    if (this.#stepLength !== null && this.#stepLength > this.sequence.length) this.#stepLength = null;
    return this.emitted.splice(length);
  }

  /** The token that spelled the end of the prompt is gone: the prompt's own tokens stand there again. */
  #restorePrompt(): void {
    if (!this.#healedPrompt) return;
    this.sequence.push(...this.#healedPrompt.tokens);
    this.#promptLength = this.sequence.length;
    this.#healedPrompt = null;
    this.#stepLength = null;
    this.#searched = 0;
  }

  /** Place of the first of these texts in the output without hidden tokens, or -1. Searches only the text that came since the last search. */
  findStop(stops: readonly string[]): number {
    const whole = this.#detokenizer.text;
    const text = this.#hidden ? whole.slice(0, this.#detokenizer.textLengthAt(this.#hidden.start)) : whole;
    let first = -1;
    for (const stop of stops) {
      const start = text.indexOf(stop, Math.max(this.#textInPrompt, this.#searched - stop.length + 1));
      if (start >= 0 && (first < 0 || start < first)) first = start;
    }
    // A match must be found again by the next search, so `#searched` stays before it.
    if (first < 0) this.#searched = Math.max(this.#searched, text.length);
    return first < 0 ? first : first - this.#textInPrompt;
  }
}
