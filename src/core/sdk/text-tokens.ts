/**
 * The tokens that a text stands for in an edit of logits. A word has several spellings ("Lily", " Lily", "L" and "ily"), so one
 * list of tokens does not ban it.
 */
import { tokenTextsOf } from "../masks/vocabulary/token-texts.ts";
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Bytes as a text with a character for each byte: a token may hold half a character. */
type ByteText = string;

/** The tokens that complete one text. */
interface Completions {
  /** Tokens that contain the whole text. */
  readonly whole: readonly TokenId[];
  /** By a number of bytes n: the tokens that complete the text if the output ends with the text's first n bytes. */
  readonly rest: Map<number, readonly TokenId[]>;
}

/**
 * All tokens of a vocabulary in one text, because JavaScript's own text search is fast: 262,000 tokens in a few milliseconds.
 * Example: the tokens "a", "bc" and "" are `|a|bc|`, with `mark` in the place of `|`.
 */
interface TokenIndex {
  readonly all: ByteText;
  /** Bytes of the tokens before each token: the mark of token t stands at `start[t] + t`. */
  readonly start: Int32Array;
  readonly completions: Map<string, Completions>;
}

/** Stands before each token. Its code is above that of any byte. */
const mark = "\u0100";

const indices = new WeakMap<Tokenizer, TokenIndex>();

/** Builds the index of the vocabulary, so that the first edit by text is not delayed. */
export function prepareTextEdits(tokenizer: Tokenizer): void {
  indexOf(tokenizer);
}

/** The tokens after which the output would contain the text, however it is spelled. `output`: the tokens of the output so far. */
export function tokensThatCompleteText(
  text: string,
  output: readonly TokenId[],
  tokenizer: Tokenizer,
): TokenId[] {
  const index = indexOf(tokenizer);
  const wanted = utf8Text(text);
  if (wanted === "") return [];
  const { whole, rest } = completionsOf(wanted, index);
  const outputEnd = lastBytes(output, wanted.length - 1, index);
  const completing = [...whole];
  for (let length = 1; length < wanted.length; length++) {
    if (!outputEnd.endsWith(wanted.slice(0, length))) continue;
    const tokens = rest.get(length) ?? tokensWith(mark + wanted.slice(length), index);
    rest.set(length, tokens);
    completing.push(...tokens);
  }
  return completing;
}

/** The first token of the text, and the first token of the text after a space, unless that token is only the space. */
export function firstTokensOfEncodings(text: string, tokenizer: Tokenizer): TokenId[] {
  const first = tokenizer.encode(text).slice(0, 1);
  if (/^\s/.test(text)) return first;
  const spaced = tokenizer.encode(` ${text}`).slice(0, 1);
  const isWord = (token: TokenId) => tokenizer.tokenText(token).trim() !== "";
  return [...new Set([...first, ...spaced.filter(isWord)])];
}

function indexOf(tokenizer: Tokenizer): TokenIndex {
  const cached = indices.get(tokenizer);
  if (cached) return cached;
  const { bytes, start } = tokenTextsOf(tokenizer);
  const count = start.length - 1;
  const codes = new Uint16Array(bytes.length + count);
  for (let token = 0; token < count; token++) {
    const from = start[token] ?? 0;
    const to = start[token + 1] ?? 0;
    codes[from + token] = mark.charCodeAt(0);
    for (let at = from; at < to; at++) codes[at + token + 1] = bytes[at] ?? 0;
  }
  const index = { all: byteText(codes), start, completions: new Map() };
  indices.set(tokenizer, index);
  return index;
}

/** The most texts whose tokens are cached: clients of a server may name other texts in each request. */
const mostTexts = 1_024;

function completionsOf(wanted: ByteText, index: TokenIndex): Completions {
  if (index.completions.size >= mostTexts) index.completions.clear();
  const completions = index.completions.get(wanted) ?? { whole: tokensWith(wanted, index), rest: new Map() };
  index.completions.set(wanted, completions);
  return completions;
}

/** The tokens that contain a text; if the text begins with `mark`, the tokens that begin with the rest of the text. */
function tokensWith(text: ByteText, { all, start }: TokenIndex): TokenId[] {
  const found: TokenId[] = [];
  let place = all.indexOf(text);
  while (place >= 0) {
    const token = tokenAt(place, start, (found.at(-1) ?? -1) + 1);
    found.push(token);
    place = all.indexOf(text, (start[token + 1] ?? 0) + token + 1);
  }
  return found;
}

/** The token that has this place of the index: `least` or a later token. */
function tokenAt(place: number, start: Int32Array, least: TokenId): TokenId {
  let token = least;
  let end = start.length - 1;
  while (end - token > 1) {
    const middle = (token + end) >> 1;
    if ((start[middle] ?? 0) + middle <= place) token = middle;
    else end = middle;
  }
  return token;
}

/** The last bytes of the output, up to its last special token. */
function lastBytes(output: readonly TokenId[], count: number, { all, start }: TokenIndex): ByteText {
  let text = "";
  for (let place = output.length - 1; place >= 0 && text.length < count; place--) {
    const token = output[place] ?? 0;
    const own = all.slice((start[token] ?? 0) + token + 1, (start[token + 1] ?? 0) + token + 1);
    if (own === "") break;
    text = own + text;
  }
  return text;
}

/** A text with a character for each code. Converts in chunks, because the number of arguments of a call is limited. */
function byteText(codes: Uint8Array | Uint16Array): ByteText {
  const pieces: string[] = [];
  for (let from = 0; from < codes.length; from += 8192)
    pieces.push(Reflect.apply(String.fromCharCode, null, codes.subarray(from, from + 8192)));
  return pieces.join("");
}

/** The text's UTF-8 bytes. Half a surrogate pair becomes U+FFFD, as in tokenizers. */
function utf8Text(text: string): ByteText {
  const wellFormed = text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  return encodeURIComponent(wellFormed).replace(/%(..)/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
