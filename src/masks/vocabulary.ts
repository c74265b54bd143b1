/** The tokens of a model as masks need them, made once per tokenizer. */
import { BETWEEN, BROKEN, tableOf, textCharacters } from "./characters.ts";
import { SharedMasks } from "./shared-masks.ts";
import { type Counts, Slices } from "./slices.ts";
import { buildTree, type TokenTexts, type Tree } from "./tree.ts";

/** What is needed of a tokenizer: the model's own, or any that can say the bytes of its tokens. */
export interface TokenBytes {
  readonly vocabSize: number;
  readonly eosTokenIds: readonly number[];
  /** Empty for special tokens. */
  tokenBytes(token: number): Uint8Array;
  /** The tokens that the tokenizer itself writes for a text. */
  encode(text: string): number[];
}

export interface Vocabulary {
  readonly size: number;
  /** 32-bit words of a mask: `ceil(size / 32)`. */
  readonly words: number;
  /** Bytes of the longest token. */
  readonly longest: number;
  readonly texts: TokenTexts;
  /** Of tokens with the same bytes, only the first is in it. */
  readonly tree: Tree;
  /** Pairs: a token of the tree, and another with the same bytes. */
  readonly twins: Int32Array;
  readonly slices: Slices;
  readonly sharedMasks: SharedMasks;
  /** Of a token; empty where it has none: special tokens, and those that end the output. Not to be changed. */
  bytesOf(token: number): Uint8Array;
  encode(text: string): number[];
}

const vocabularies = new WeakMap<TokenBytes, Vocabulary>();

/** The vocabulary of a tokenizer, made once. */
export function vocabularyOf(tokenizer: TokenBytes): Vocabulary {
  const known = vocabularies.get(tokenizer);
  if (known) return known;
  const made = createVocabulary(tokenizer);
  vocabularies.set(tokenizer, made);
  return made;
}

function createVocabulary(tokenizer: TokenBytes): Vocabulary {
  const size = tokenizer.vocabSize;
  const texts = readTexts(tokenizer);
  const { bytes, start } = texts;
  const { tree, twins } = buildTree(texts);
  let longest = 0;
  for (let token = 0; token < size; token++) {
    longest = Math.max(longest, (start[token + 1] as number) - (start[token] as number));
  }
  const words = Math.ceil(size / 32);
  return {
    size,
    words,
    longest,
    texts,
    tree,
    twins,
    slices: new Slices(tree, texts, countText(texts)),
    sharedMasks: new SharedMasks(words, twins),
    bytesOf: (token) => bytes.subarray(start[token], start[token + 1]),
    encode: (text) => tokenizer.encode(text),
  };
}

function readTexts(tokenizer: TokenBytes): TokenTexts {
  const size = tokenizer.vocabSize;
  const ends = new Set(tokenizer.eosTokenIds);
  const start = new Int32Array(size + 1);
  let bytes = new Uint8Array(size * 8);
  let length = 0;
  for (let token = 0; token < size; token++) {
    start[token] = length;
    if (ends.has(token)) continue;
    const text = tokenizer.tokenBytes(token);
    if (length + text.length > bytes.length) {
      const grown = new Uint8Array(2 * bytes.length + text.length);
      grown.set(bytes);
      bytes = grown;
    }
    // A loop: `set` costs more than it saves for a few bytes.
    for (let index = 0; index < text.length; index++) bytes[length + index] = text[index] as number;
    length += text.length;
  }
  start[size] = length;
  return { bytes: bytes.slice(0, length), start };
}

/** Tokens of plain text are most of a vocabulary, and what most strategies allow somewhere. */
function countText({ bytes, start }: TokenTexts): Counts {
  const table = tableOf(textCharacters);
  const counts = new Uint8Array(start.length - 1);
  let longest = 0;
  for (let token = 0; token < counts.length; token++) {
    const end = start[token + 1] as number;
    let state = BETWEEN;
    let count = 0;
    for (let at = start[token] as number; at < end && state !== BROKEN; at++) {
      state = table[(state << 8) | (bytes[at] as number)] as number;
      if (state === BETWEEN) count++;
    }
    if (state !== BETWEEN || count > 255) continue;
    counts[token] = count;
    longest = Math.max(longest, count);
  }
  return { counts, longest };
}
