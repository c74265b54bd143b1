/** A mod's copy of the output. Each event brings only what changed, and the text is decoded when it is first read. */
import { describeValue } from "../base/show.ts";
import { Detokenizer } from "./detokenizer.ts";
import type { LastTokens, OutputSoFar } from "./event.ts";
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { WireOutputChange } from "./wire-event.ts";

export class OutputCopy {
  readonly #tokens: TokenId[] = [];
  /** The number of last tokens that are hidden. */
  #hidden = 0;
  /** UTF-16 units at the beginning of the tokens' text that belong to the prompt. */
  #inPrompt = 0;
  /** Decodes the first tokens, as far as the text was read. */
  readonly #detokenizer: Detokenizer;

  constructor(tokenizer: Pick<Tokenizer, "tokenBytes">) {
    this.#detokenizer = new Detokenizer(tokenizer);
  }

  /** Applies a change to the tokens. The cost depends only on the number of new tokens. */
  change({ keep, tokens, hidden, inPrompt = 0 }: WireOutputChange): void {
    if (keep < this.#detokenizer.length) this.#detokenizer.truncate(keep);
    this.#tokens.length = keep;
    for (const token of tokens) this.#tokens.push(token);
    this.#hidden = hidden;
    this.#inPrompt = inPrompt;
  }

  /** All tokens, hidden tokens included. Do not change the list. */
  get tokens(): readonly TokenId[] {
    return this.#tokens;
  }

  /** The output now, of which the last `newest` tokens are new. A part that was read is decoded once and stays. */
  view(newest: number): OutputSoFar {
    const read = () => this.#read();
    const hidden = this.#hidden;
    const inPrompt = this.#inPrompt;
    const kept = this.#tokens.length - hidden;
    const part = (start: number, end: number) => Object.freeze(this.#tokens.slice(start, end));
    let text: string | undefined;
    let tokens: readonly TokenId[] | undefined;
    let hiddenTokens: readonly TokenId[] | undefined;
    return Object.freeze({
      get text() {
        text ??= textOf(read(), kept).slice(inPrompt);
        return text;
      },
      get tokens() {
        tokens ??= part(0, kept);
        return tokens;
      },
      get hiddenTokens() {
        hiddenTokens ??= part(kept, kept + hidden);
        return hiddenTokens;
      },
      lastTokensWith(wanted: string) {
        if (typeof wanted !== "string" || wanted === "") {
          throw new TypeError(
            `event.output.lastTokensWith(...) was given ${describeValue(wanted)}: give the text to look for.`,
          );
        }
        return hidden > 0 ? null : lastTokensWith(read(), wanted, newest, inPrompt);
      },
    });
  }

  #read(): Detokenizer {
    for (let place = this.#detokenizer.length; place < this.#tokens.length; place++) {
      this.#detokenizer.append(this.#tokens[place] as TokenId);
    }
    return this.#detokenizer;
  }
}

function textOf(output: Detokenizer, length: number): string {
  return length === output.length ? output.text : output.text.slice(0, output.textLengthAt(length));
}

function lastTokensWith(
  output: Detokenizer,
  wanted: string,
  newest: number,
  inPrompt: number,
): LastTokens | null {
  const { text, length } = output;
  const start = text.lastIndexOf(wanted);
  const knownBefore = output.textLengthAt(Math.max(0, length - newest));
  if (start < inPrompt || start + wanted.length <= knownBefore) return null;
  let first = length;
  // Never begin in the middle of a character: a backtrack would leave its first bytes in the output.
  while (output.textLengthAt(first) > start || !output.isWholeAt(first)) first--;
  return Object.freeze({
    count: length - first,
    text: text.slice(Math.max(inPrompt, output.textLengthAt(first))),
  });
}
