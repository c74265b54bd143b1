/** Encodes long texts with @huggingface/tokenizers in steps. The tokens are those of the library, whose `encode` is one long call. */
import { BPE, type Tokenizer } from "@huggingface/tokenizers";
import { type ResumableWork, runToEnd } from "../base/resumable-work.ts";
import { mergeWord } from "./merge-word.ts";

/**
 * Characters. Words of this length or more are merged by `mergeWord`. With shorter words the library is as fast, and it caches
 * them.
 */
export const longWordLength = 2_000;

/** Characters. A shorter text is encoded in one step, which takes some milliseconds. */
const longText = 20_000;

/** Words whose merges are computed in one step. */
const wordsOfStep = 200;

/** Runs one call of the tokenizer and returns its result; may prepare the tokenizer before the call and restore it afterwards. */
export type CallWrapper = <Result>(call: () => Result) => Result;

const callDirectly: CallWrapper = (call) => call();

export interface SteppedEncoder {
  /**
   * Returns what `encode(text)` returns, but computes the merges of the text's words in steps first.
   * @param wrap runs each call of the tokenizer, also the call of `encode`
   */
  steps<Tokens>(text: string, encode: (text: string) => Tokens, wrap?: CallWrapper): ResumableWork<Tokens>;
}

/** Changes the tokenizer: from now on `mergeWord` merges its long words, for every caller. */
export function installSteppedEncoder(tokenizer: Tokenizer): SteppedEncoder {
  const { model } = tokenizer;
  // A suffix changes the merges, and `mergeWord` does not handle suffixes.
  const isPlain = model instanceof BPE && !model.continuing_subword_suffix && !model.end_of_word_suffix;
  if (!isPlain) {
    return {
      *steps(text, encode, wrap = callDirectly) {
        yield 0;
        return wrap(() => encode(text));
      },
    };
  }
  const mergeInLibrary = model.bpe.bind(model);
  let known: ReadonlyMap<string, string[]> | null = null;
  model.bpe = (word) => {
    const merged = known?.get(word);
    if (merged) return merged;
    return word.length < longWordLength ? mergeInLibrary(word) : runToEnd(mergeWord(word, model.bpe_ranks));
  };
  return {
    *steps(text, encode, wrap = callDirectly) {
      if (text.length < longText) return wrap(() => encode(text));
      const merges = new Map<string, string[]>();
      let count = 0;
      for (const word of wrap(() => wordsOf(tokenizer, text))) {
        if (merges.has(word)) continue;
        const isLong = word.length >= longWordLength;
        merges.set(word, isLong ? yield* mergeWord(word, model.bpe_ranks) : mergeInLibrary(word));
        if (++count % wordsOfStep === 0) yield 0.5;
      }
      yield 0.9;
      known = merges;
      try {
        return wrap(() => encode(text));
      } finally {
        known = null;
      }
    },
  };
}

/** The words into which the tokenizer splits a text before it merges. */
function wordsOf(tokenizer: Tokenizer, text: string): readonly string[] {
  const { model } = tokenizer;
  const words: string[] = [];
  const collect = (some: readonly string[]): string[] => {
    for (const word of some) words.push(word);
    return [];
  };
  tokenizer.model = Object.assign(collect, { tokens_to_ids: new Map() }) as unknown as typeof model;
  try {
    tokenizer.encode(text, { add_special_tokens: false });
  } finally {
    tokenizer.model = model;
  }
  return words;
}
