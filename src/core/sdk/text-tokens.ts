/**
 * The tokens that a text stands for in an edit of logits. A word has several spellings ("Lily", " Lily", "L" and "ily"), so one
 * list of tokens does not ban it.
 */
import type { TokenId } from "./request.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Bytes as a text with a character for each byte: texts are quick to compare, and a token may hold half a character. */
type ByteText = string;

/** For each number of bytes of a text that the output may end with, the tokens that complete the text after them. */
type Completions = readonly (readonly TokenId[])[];

interface KnownTokens {
  readonly bytes: readonly ByteText[];
  readonly completions: Map<string, Completions>;
}

const known = new WeakMap<Tokenizer, KnownTokens>();

/** The tokens after which the output would contain the text, however it is spelled. `output`: all tokens that were emitted. */
export function tokensCompleting(text: string, output: readonly TokenId[], tokenizer: Tokenizer): TokenId[] {
  const completions = completionsOf(text, tokenizer);
  const wanted = utf8Text(text);
  const end = lastBytes(output, wanted.length - 1, tokenizer);
  return completions.flatMap((tokens, length) => (end.endsWith(wanted.slice(0, length)) ? tokens : []));
}

/** The tokens with which the tokenizer begins the text, also behind a space. A space alone does not begin the text. */
export function tokensBeginning(text: string, tokenizer: Tokenizer): TokenId[] {
  const first = tokenizer.encode(text).slice(0, 1);
  if (/^\s/.test(text)) return first;
  const spaced = tokenizer.encode(` ${text}`).slice(0, 1);
  const isWord = (token: TokenId) => tokenizer.tokenText(token).trim() !== "";
  return [...new Set([...first, ...spaced.filter(isWord)])];
}

function completionsOf(text: string, tokenizer: Tokenizer): Completions {
  const tokens = known.get(tokenizer) ?? readTokens(tokenizer);
  known.set(tokenizer, tokens);
  const made = tokens.completions.get(text) ?? findCompletions(utf8Text(text), tokens.bytes);
  tokens.completions.set(text, made);
  return made;
}

function readTokens(tokenizer: Tokenizer): KnownTokens {
  const bytes = Array.from({ length: tokenizer.vocabSize }, (_, token) =>
    byteText(tokenizer.tokenBytes(token)),
  );
  return { bytes, completions: new Map() };
}

function findCompletions(wanted: ByteText, bytes: readonly ByteText[]): Completions {
  const found = Array.from({ length: wanted.length }, (): TokenId[] => []);
  for (const [token, own] of bytes.entries()) {
    if (own.includes(wanted)) found[0]?.push(token);
    for (let length = 1; length < wanted.length; length++) {
      if (own.startsWith(wanted.slice(length))) found[length]?.push(token);
    }
  }
  return found;
}

/** The last bytes of the output, up to its last special token. */
function lastBytes(output: readonly TokenId[], count: number, tokenizer: Tokenizer): ByteText {
  let text = "";
  for (let place = output.length - 1; place >= 0 && text.length < count; place--) {
    const own = byteText(tokenizer.tokenBytes(output[place] as TokenId));
    if (own === "") break;
    text = own + text;
  }
  return text;
}

function byteText(bytes: Uint8Array): ByteText {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** The text's UTF-8 bytes. Half a surrogate pair becomes U+FFFD, as in tokenizers. */
function utf8Text(text: string): ByteText {
  const wellFormed = text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  return encodeURIComponent(wellFormed).replace(/%(..)/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
