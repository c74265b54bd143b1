/**
 * Canonical spellings: the tokens that the tokenizer itself writes for a text. A model has seen hardly any other spelling. For
 * example, many vocabularies have ` "` as one token, so no text that they write has the token ` ` before a `"`. Where a string
 * has to come after `"amount":`, a mask of all allowed tokens has ` ` too; a model that takes it, since it wants to write a
 * number, has to go on with a quote that it has never seen there.
 */
import { getOrCreate } from "../automaton/get-or-create.ts";
import { compareBytes } from "../automaton/prefix-tree.ts";
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
const known = new WeakMap<Vocabulary, Map<number, boolean>>();

/**
 * Whether the tokenizer writes `second` right after `first` in one of a few test texts (`contexts`). True if unknown: for two
 * tokens whose bytes together are not UTF-8, and for tokenizers that change the text they read. Both tokens must have bytes.
 */
export function isCanonicalPair(vocabulary: Vocabulary, first: number, second: number): boolean {
  const pairs = getOrCreate(known, vocabulary, () => new Map<number, boolean>());
  if (pairs.size >= PAIRS_KEPT) pairs.clear();
  return getOrCreate(pairs, first * vocabulary.size + second, () =>
    canStandTogether(vocabulary, first, second),
  );
}

/** Whether the tokenizer writes the token's text, standing alone, as this one token. False if unknown. */
export function isCanonicalToken(vocabulary: Vocabulary, token: number): boolean {
  const bytes = vocabulary.bytesOf(token);
  const text = decodeWhole(bytes);
  const [only, ...others] = text === null ? [] : vocabulary.encode(text);
  return only !== undefined && others.length === 0 && compareBytes(vocabulary.bytesOf(only), bytes) === 0;
}

function canStandTogether(vocabulary: Vocabulary, first: number, second: number): boolean {
  const left = vocabulary.bytesOf(first);
  const right = vocabulary.bytesOf(second);
  const text = decodeWhole(Uint8Array.of(...left, ...right));
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
    if (at === place)
      return compareBytes(bytes, left) === 0 && compareBytes(encoded[index + 1] as Uint8Array, right) === 0;
    at += bytes.length;
  }
  return false;
}

/** The text of the bytes; null if they are not UTF-8. */
export function decodeWhole(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
