/** The tokenizers of tests and benches: two from the repository, and a larger one that may lie beside the test models. */
import { folderBesideModels } from "../../../../scripts/models-folder.ts";
import type { TokenizerData } from "../create-tokenizer.ts";
import { readDataInFolder, repositoryTokenizers } from "./repository-tokenizers.ts";

const known = {
  ...repositoryTokenizers,
  "qwen3-0.6b": {
    folder: folderBesideModels("tokenizers/qwen3-0.6b"),
    vocabSize: 151_936,
    eosTokenIds: [151_645, 151_643],
  },
} as const;

export type TestTokenizerName = keyof typeof known;
export const testTokenizerNames = Object.keys(known) as readonly TestTokenizerName[];

/** False if the files are neither in the repository nor beside the models. */
export function hasTestTokenizer(name: TestTokenizerName): boolean {
  return known[name].folder !== null;
}

/** Reads the files at each call, so that a test may change the result. @throws Error if `hasTestTokenizer` is false */
export function testTokenizerData(name: TestTokenizerName): TokenizerData {
  const { folder, vocabSize, eosTokenIds } = known[name];
  if (folder === null)
    throw new Error(
      `The tokenizer ${name} is not in the repository. Set MIDTOKEN_MODELS to the folder of test models, beside which it lies in tokenizers/${name}.`,
    );
  return readDataInFolder({ folder, vocabSize, eosTokenIds });
}
