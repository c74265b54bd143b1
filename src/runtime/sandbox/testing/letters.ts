/** A small but real tokenizer: token 0 ends a sequence, tokens 1 to 26 are the letters, then follow space and full stop. */
import type { TokenizerData } from "../../../core/tokenizer/create-tokenizer.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz", "Ġ", "."];

export const lettersTokenizer: TokenizerData = {
  tokenizerJson: {
    version: "1.0",
    added_tokens: [
      {
        id: 0,
        content: "<end>",
        special: true,
        normalized: false,
        single_word: false,
        lstrip: false,
        rstrip: false,
      },
    ],
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      vocab: Object.fromEntries([["<end>", 0], ...letters.map((letter, index) => [letter, index + 1])]),
      merges: [],
    },
  },
  tokenizerConfig: { tokenizer_class: "GPT2Tokenizer" },
  vocabSize: letters.length + 1,
  eosTokenIds: [0],
};
