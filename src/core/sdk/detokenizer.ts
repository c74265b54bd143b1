/** Text that grows and shrinks with the tokens, without decoding anything twice. */
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";

const noBytes = new Uint8Array(0);

/** Number of bytes at the end that begin a UTF-8 character and do not finish it: 0 to 3. */
export function countUnfinishedBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count++) {
    const lead = bytes[bytes.length - count] ?? 0;
    if (lead >= 0x80 && lead < 0xc0) continue;
    const needed = characterLength(lead);
    if (needed <= count) return 0;
    return count === 1 || secondByteFits(lead, bytes[bytes.length - count + 1] ?? 0) ? count : 0;
  }
  return 0;
}

/** Number of bytes of a character that begins with this byte and has more than one; 0 if no such character does. */
function characterLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/**
 * Whether the second byte is valid: excludes overlong forms, surrogates and values above U+10FFFF, which the decoder also treats
 * as errors at once.
 */
function secondByteFits(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}

/**
 * The text of an output, to which tokens are appended and from which last tokens are removed. The text continues a prompt: a
 * SentencePiece token `▁there` adds " there" even as the first token, although a tokenizer that decodes it alone drops the
 * space. Special tokens add nothing. The bytes of an unfinished character are held back until the token that completes it, so
 * `text` never has a U+FFFD that a later token would replace. `tokenizer.decode(tokens)` is `text`, followed by one U+FFFD if
 * bytes are held back. Appending costs the length of the token; truncating is a slice.
 */
export class Detokenizer {
  readonly #tokenizer: Pick<Tokenizer, "tokenBytes">;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #text = "";
  /** UTF-16 length of the text after each token. */
  readonly #textLengths: number[] = [];
  /** Bytes held back after each token. */
  readonly #pending: Uint8Array[] = [];

  constructor(tokenizer: Pick<Tokenizer, "tokenBytes">) {
    this.#tokenizer = tokenizer;
  }

  /** Whole characters so far, without the bytes held back. */
  get text(): string {
    return this.#text;
  }

  /** Number of tokens. */
  get length(): number {
    return this.#textLengths.length;
  }

  /** Appends a token. Returns the text that the token completes, which may be empty. @throws RangeError for an id outside the vocabulary. */
  append(token: TokenId): string {
    const { delta, held } = this.#read(token);
    this.#text += delta;
    this.#textLengths.push(this.#text.length);
    this.#pending.push(held);
    return delta;
  }

  /** Returns the text that `append` would return. Changes nothing. @throws RangeError for an id outside the vocabulary. */
  peek(token: TokenId): string {
    return this.#read(token).delta;
  }

  /** Whether the text after the first `length` tokens ends with a whole character: no bytes are held back. @throws RangeError outside 0 to `length`. */
  isWholeAt(length: number): boolean {
    this.#check(length);
    return length === 0 || this.#pending[length - 1]?.length === 0;
  }

  /** UTF-16 length of the text after the first `length` tokens. @throws RangeError outside 0 to `length`. */
  textLengthAt(length: number): number {
    this.#check(length);
    return length === 0 ? 0 : (this.#textLengths[length - 1] ?? 0);
  }

  /** Removes all but the first `length` tokens. @throws RangeError outside 0 to `length`. */
  truncate(length: number): void {
    this.#text = this.#text.slice(0, this.textLengthAt(length));
    this.#textLengths.length = length;
    this.#pending.length = length;
  }

  /** The text that a token completes, and the bytes that are held back after it. */
  #read(token: TokenId): { readonly delta: string; readonly held: Uint8Array } {
    const before = this.#pending.at(-1) ?? noBytes;
    const added = this.#tokenizer.tokenBytes(token);
    const bytes = before.length === 0 ? added : join(before, added);
    const whole = bytes.length - countUnfinishedBytes(bytes);
    if (whole === bytes.length) return { delta: this.#decoder.decode(bytes), held: noBytes };
    return { delta: this.#decoder.decode(bytes.subarray(0, whole)), held: bytes.slice(whole) };
  }

  #check(length: number): void {
    if (Number.isInteger(length) && length >= 0 && length <= this.length) return;
    throw new RangeError(
      `Length ${length} is not between 0 and ${this.length}: give a length in that range.`,
    );
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
