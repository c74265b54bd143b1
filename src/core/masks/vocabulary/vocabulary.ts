/** The tokens of a model as masks need them, made once per tokenizer. */
import { SharedMasks } from "./shared-masks.ts";
import { Slices } from "./slices.ts";
import { orderTexts, type TokenTexts } from "./text-order.ts";
import { buildTree, type Tree } from "./tree.ts";

/** What is needed of a tokenizer: the model's own, or any that can say the bytes of its tokens. */
export interface TokenBytes {
  readonly vocabSize: number;
  readonly eosTokenIds: readonly number[];
  /** Empty for special tokens. */
  tokenBytes(token: number): Uint8Array;
  /**
   * The same bytes, put into `into` from `at` on where all of them have room: without an array for every token, a vocabulary is
   * read in a quarter of the time. Left out by tokenizers that are small. @returns how many bytes there are.
   */
  copyTokenBytes?(token: number, into: Uint8Array, at: number): number;
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
  readonly byteIdenticalTokens: Int32Array;
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
  const ordered = orderTexts(texts);
  const tree = buildTree(ordered);
  const words = Math.ceil(size / 32);
  return {
    size,
    words,
    longest: ordered.longest,
    texts,
    tree,
    byteIdenticalTokens: ordered.byteIdenticalTokens,
    slices: new Slices(tree, ordered),
    sharedMasks: new SharedMasks(words, ordered.byteIdenticalTokens),
    bytesOf: (token) => bytes.subarray(start[token], start[token + 1]),
    encode: (text) => tokenizer.encode(text),
  };
}

function readTexts(tokenizer: TokenBytes): TokenTexts {
  const size = tokenizer.vocabSize;
  const copy = tokenizer.copyTokenBytes?.bind(tokenizer) ?? copierOf(tokenizer);
  const ends = new Set(tokenizer.eosTokenIds);
  const start = new Int32Array(size + 1);
  let bytes = new Uint8Array(size * 8);
  let length = 0;
  for (let token = 0; token < size; token++) {
    start[token] = length;
    if (ends.has(token)) continue;
    const added = copy(token, bytes, length);
    if (length + added > bytes.length) {
      const grown = new Uint8Array(2 * bytes.length + added);
      grown.set(bytes);
      bytes = grown;
      copy(token, bytes, length);
    }
    length += added;
  }
  start[size] = length;
  return { bytes: bytes.slice(0, length), start };
}

function copierOf(tokenizer: TokenBytes): (token: number, into: Uint8Array, at: number) => number {
  return (token, into, at) => {
    const bytes = tokenizer.tokenBytes(token);
    if (at + bytes.length <= into.length) into.set(bytes, at);
    return bytes.length;
  };
}
