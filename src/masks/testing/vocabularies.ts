/** The vocabularies of the tests: the bundled model's, and two of real size from beside the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTokenizer, type ModelTokenizer } from "../../tokenizer/create-tokenizer.ts";

const files = {
  stories260k: { folder: "public/models/stories260k", vocabSize: 512, eosTokenIds: [1, 2] },
  "smollm2-135m": { folder: "../shared/tokenizers/smollm2-135m", vocabSize: 49_152, eosTokenIds: [2] },
  "qwen3-0.6b": {
    folder: "../shared/tokenizers/qwen3-0.6b",
    vocabSize: 151_936,
    eosTokenIds: [151_645, 151_643],
  },
} as const;

export type VocabularyName = keyof typeof files;
export const vocabularyNames = Object.keys(files) as readonly VocabularyName[];

const made = new Map<VocabularyName, ModelTokenizer>();

/** Made once for a test file. */
export function testTokenizer(name: VocabularyName): ModelTokenizer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const { folder, vocabSize, eosTokenIds } = files[name];
  const parse = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const tokenizer = createTokenizer({
    tokenizerJson: parse("tokenizer.json"),
    tokenizerConfig: parse("tokenizer_config.json"),
    vocabSize,
    eosTokenIds,
  });
  made.set(name, tokenizer);
  return tokenizer;
}
