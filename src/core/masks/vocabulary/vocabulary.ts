/** The tokens of a model as masks need them, made once per tokenizer. */
import { getOrCreate } from "../automaton/get-or-create.ts";
import { SharedMasks } from "./shared-masks.ts";
import { Slices } from "./slices.ts";
import { orderTexts, type TokenTexts } from "./text-order.ts";
import { type TokenBytes, tokenTextsOf } from "./token-texts.ts";
import { buildTree, type Tree } from "./tree.ts";

export interface Vocabulary {
  readonly size: number;
  /** 32-bit words of a mask: `ceil(size / 32)`. */
  readonly words: number;
  /** Bytes of the longest token. */
  readonly longest: number;
  readonly texts: TokenTexts;
  /** The tree has only the first of several tokens with the same bytes. */
  readonly tree: Tree;
  /** Pairs: a token of the tree, and another with the same bytes. */
  readonly byteIdenticalTokens: Int32Array;
  readonly slices: Slices;
  readonly sharedMasks: SharedMasks;
  /** The bytes of a token; empty for special tokens and tokens that end the output. Not to be changed. */
  bytesOf(token: number): Uint8Array;
  encode(text: string): number[];
}

const vocabularies = new WeakMap<TokenBytes, Vocabulary>();

/** The vocabulary of a tokenizer, made once. */
export function vocabularyOf(tokenizer: TokenBytes): Vocabulary {
  return getOrCreate(vocabularies, tokenizer, createVocabulary);
}

function createVocabulary(tokenizer: TokenBytes): Vocabulary {
  const size = tokenizer.vocabSize;
  const texts = tokenTextsOf(tokenizer);
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
