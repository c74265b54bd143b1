/** A small tokenizer in the style of Llama 2: SentencePiece pieces, byte fallback, a space before the text. */
import type { JsonObject } from "../../masks/vocabulary/entry-bytes.ts";

const merges = ["▁ t", "h e", "▁t he", "▁ c", "a t", "▁c at", "▁ ▁", "r e", "▁the re", "i n", "o n", "é ▁"];

function vocabulary(): Record<string, number> {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const characters = [..."▁abcdefghijklmnopqrstuvwxyzé語.,!<>|/_0123456789"];
  const merged = merges.map((pair) => pair.replace(" ", ""));
  const entries = ["<unk>", "<s>", "</s>", ...bytes, ...characters, ...merged];
  return Object.fromEntries(entries.map((entry, token) => [entry, token]));
}

const prefixes = {
  /** The normalizer puts a space before each text between special tokens. */
  normalizer: {
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Prepend", prepend: "▁" },
        { type: "Replace", pattern: { String: " " }, content: "▁" },
      ],
    },
    pre_tokenizer: null,
  },
  /** Puts a space only before the first text, as newer files do. */
  metaspace: {
    normalizer: null,
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false },
  },
};

/** `tokenizer.json` and `tokenizer_config.json`, and the number of entries. */
export function sentencePieceFiles(prefix: keyof typeof prefixes) {
  const vocab = vocabulary();
  const added = ["<unk>", "<s>", "</s>"].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const tokenizerJson: JsonObject = {
    version: "1.0",
    added_tokens: added,
    ...prefixes[prefix],
    post_processor: {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [],
      special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
    },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    model: { type: "BPE", unk_token: "<unk>", byte_fallback: true, fuse_unk: true, vocab, merges },
  };
  const tokenizerConfig: JsonObject = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>" };
  return { tokenizerJson, tokenizerConfig, vocabSize: Object.keys(vocab).length };
}
