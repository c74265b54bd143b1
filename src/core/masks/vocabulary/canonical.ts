/**
 * Canonical spellings: the tokens that the tokenizer itself writes for a text. A model has seen hardly any other spelling. For
 * example, many vocabularies have ` "` as one token, so no text that they write has the token ` ` before a `"`. Where a string
 * has to come after `"amount":`, a mask of all allowed tokens has ` ` too; a model that takes it, since it wants to write a
 * number, has to go on with a quote that it has never seen there.
 */
import type { Vocabulary } from "./vocabulary.ts";

/** The number of token pairs that are cached for a vocabulary. */
const PAIRS_KEPT = 200_000;

/**
 * The texts around a pair of tokens with which the pair is tested. A tokenizer splits a text into words before it merges
 * bytes to tokens, and the text around the pair decides where it splits. For example, `'s` is one word after a letter, but
 * `'` and `s` are two words after another sign.
 */
const contexts: readonly Context[] = [
  ["", ""],
  ["\u0001", ""],
  ["a", ""],
];

/**
 * The same for a pair that ends in white space: "\n\n" is one token at the end of a text, and may be two tokens before a
 * letter.
 */
const contextsOfSpace: readonly Context[] = [...contexts, ["", "a"], ["", "1"]];

type Context = readonly [before: string, after: string];

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const none = new Uint8Array(0);
const known = new WeakMap<Vocabulary, Map<number, boolean>>();

/**
 * Whether the tokenizer writes `second` right after `first` in one of a few test texts (`contexts`). True if unknown: for two
 * tokens whose bytes together are not UTF-8, and for tokenizers that change the text they read. Both tokens must have bytes.
 */
export function isCanonicalPair(vocabulary: Vocabulary, first: number, second: number): boolean {
  const pairs = known.get(vocabulary) ?? new Map<number, boolean>();
  known.set(vocabulary, pairs);
  const key = first * vocabulary.size + second;
  let isCanonical = pairs.get(key);
  if (isCanonical === undefined) {
    if (pairs.size >= PAIRS_KEPT) pairs.clear();
    isCanonical = canStandTogether(vocabulary, first, second);
    pairs.set(key, isCanonical);
  }
  return isCanonical;
}

/** Whether the tokenizer writes the token's text, standing alone, as this one token. False if unknown. */
export function isCanonicalToken(vocabulary: Vocabulary, token: number): boolean {
  const bytes = vocabulary.bytesOf(token);
  const text = textOf(bytes, none);
  const [only, ...others] = text === null ? [] : vocabulary.encode(text);
  return only !== undefined && others.length === 0 && isSame(vocabulary.bytesOf(only), bytes);
}

function canStandTogether(vocabulary: Vocabulary, first: number, second: number): boolean {
  const left = vocabulary.bytesOf(first);
  const right = vocabulary.bytesOf(second);
  const text = textOf(left, right);
  if (text === null) return true;
  for (const [before, after] of /\s$/.test(text) ? contextsOfSpace : contexts) {
    const encoded = vocabulary.encode(`${before}${text}${after}`).map((token) => vocabulary.bytesOf(token));
    const length = encoded.reduce((sum, bytes) => sum + bytes.length, 0);
    if (length !== before.length + left.length + right.length + after.length) return true;
    if (hasPair(encoded, before.length, left, right)) return true;
  }
  return false;
}

/** Whether token `left` begins at this place and token `right` follows it. */
function hasPair(
  encoded: readonly Uint8Array[],
  place: number,
  left: Uint8Array,
  right: Uint8Array,
): boolean {
  let at = 0;
  for (let index = 0; index + 1 < encoded.length && at <= place; index++) {
    const bytes = encoded[index] as Uint8Array;
    if (at === place) return isSame(bytes, left) && isSame(encoded[index + 1] as Uint8Array, right);
    at += bytes.length;
  }
  return false;
}

/** The text of two tokens together; null if the bytes are not UTF-8. */
function textOf(left: Uint8Array, right: Uint8Array): string | null {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
