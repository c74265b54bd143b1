/** The output of a request: its tokens, where they came from, and the text they make. */
import { Detokenizer } from "../sdk/detokenizer.ts";
import type { TokenSource } from "../sdk/event.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";

/** A token of the output. */
export interface EmittedToken {
  readonly token: TokenId;
  /** What it adds to the text; bytes of an unfinished character are held back to the token that completes it. */
  readonly text: string;
  /** Counts all tokens that were ever emitted in this request. */
  readonly index: number;
  readonly source: TokenSource;
}

/** The text that tokens added together. */
export function addedText(group: readonly EmittedToken[]): string {
  return group.map(({ text }) => text).join("");
}

export class Output {
  /** Prompt and output: what the KV cache is to hold. */
  readonly sequence: TokenId[];
  readonly promptLength: number;
  readonly emitted: EmittedToken[] = [];
  readonly #tokenizer: Tokenizer;
  readonly #detokenizer: Detokenizer;
  #nextIndex = 0;
  /** UTF-16 length of the text that has been searched for stop texts and has not changed since. */
  #searched = 0;

  constructor(prompt: readonly TokenId[], tokenizer: Tokenizer) {
    this.sequence = [...prompt];
    this.promptLength = prompt.length;
    this.#tokenizer = tokenizer;
    this.#detokenizer = new Detokenizer(tokenizer);
  }

  /** Emitted tokens. */
  get length(): number {
    return this.emitted.length;
  }

  get tokens(): TokenId[] {
    return this.sequence.slice(this.promptLength);
  }

  get lastToken(): TokenId | undefined {
    return this.emitted.at(-1)?.token;
  }

  /** Text of the first `length` tokens; bytes that never became a character are U+FFFD. */
  textOf(length: number): string {
    return this.#tokenizer.decode(this.sequence.slice(this.promptLength, this.promptLength + length));
  }

  /** What a token would add to the text, as `EmittedToken.text` says it. */
  textToAdd(token: TokenId): string {
    return this.#detokenizer.peek(token);
  }

  append(tokens: readonly TokenId[], source: TokenSource): readonly EmittedToken[] {
    const added = tokens.map((token) => {
      this.sequence.push(token);
      return { token, text: this.#detokenizer.append(token), index: this.#nextIndex++, source };
    });
    this.emitted.push(...added);
    return added;
  }

  /** Takes the last `count` tokens away and gives them in their order. */
  remove(count: number): readonly EmittedToken[] {
    const length = this.length - count;
    this.#detokenizer.truncate(length);
    this.#searched = Math.min(this.#searched, this.#detokenizer.text.length);
    this.sequence.length = this.promptLength + length;
    return this.emitted.splice(length);
  }

  /** Where the first of these texts begins in the output, or -1. Looks only at what is new since it last looked. */
  findStop(stops: readonly string[]): number {
    const text = this.#detokenizer.text;
    let first = -1;
    for (const stop of stops) {
      const start = text.indexOf(stop, Math.max(0, this.#searched - stop.length + 1));
      if (start >= 0 && (first < 0 || start < first)) first = start;
    }
    // What was found is found again.
    if (first < 0) this.#searched = text.length;
    return first;
  }
}
