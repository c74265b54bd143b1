/** Long texts through @huggingface/tokenizers, whose `encode` is one call: in steps, with the same tokens. */
import { BPE, type Tokenizer } from "@huggingface/tokenizers";
import { runToEnd, type Steps } from "../base/steps.ts";
import { mergeWord } from "./merge-word.ts";

/** Characters. A word this long is merged by `mergeWord`: the library is as fast with shorter words, and remembers them. */
export const longWordLength = 2_000;

/** Characters. A shorter text is encoded in one step, which takes some milliseconds. */
const longText = 20_000;

/** Words whose merges are computed in one step. */
const wordsOfStep = 200;

export type RunWithin = <Made>(make: () => Made) => Made;

const runPlainly: RunWithin = (make) => make();

export interface SteppedEncoder {
  /**
   * The same as `encode`, whatever that is of this tokenizer. Computes the merges of the text's words in steps before.
   * @param within runs each call of the tokenizer, also those of `encode`
   */
  steps<Tokens>(text: string, encode: (text: string) => Tokens, within?: RunWithin): Steps<Tokens>;
}

/** Long words of this tokenizer are merged by `mergeWord` from now on, whoever asks. */
export function steppedEncoder(tokenizer: Tokenizer): SteppedEncoder {
  const { model } = tokenizer;
  // A suffix changes the merges; the library sees to both kinds.
  const isPlain = model instanceof BPE && !model.continuing_subword_suffix && !model.end_of_word_suffix;
  if (!isPlain) {
    return {
      *steps(text, encode, within = runPlainly) {
        yield 0;
        return within(() => encode(text));
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
    *steps(text, encode, within = runPlainly) {
      if (text.length < longText) return within(() => encode(text));
      const merges = new Map<string, string[]>();
      let count = 0;
      for (const word of within(() => wordsOf(tokenizer, text))) {
        if (merges.has(word)) continue;
        const isLong = word.length >= longWordLength;
        merges.set(word, isLong ? yield* mergeWord(word, model.bpe_ranks) : mergeInLibrary(word));
        if (++count % wordsOfStep === 0) yield 0.5;
      }
      yield 0.9;
      known = merges;
      try {
        return within(() => encode(text));
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
