/** The vocabularies of the tests: the bundled model's, one of real size, and a larger one that may be missing. */
import { createTokenizer, type ModelTokenizer } from "../../tokenizer/create-tokenizer.ts";
import {
  hasTestTokenizer,
  type TestTokenizerName,
  testTokenizerData,
  testTokenizerNames,
} from "../../tokenizer/testing/test-tokenizers.ts";

export type VocabularyName = TestTokenizerName;
export const vocabularyNames = testTokenizerNames;
export const hasVocabulary = hasTestTokenizer;

const made = new Map<VocabularyName, ModelTokenizer>();

/** Made once for a test file. @throws Error where `hasVocabulary` is false. */
export function testTokenizer(name: VocabularyName): ModelTokenizer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const tokenizer = createTokenizer(testTokenizerData(name));
  made.set(name, tokenizer);
  return tokenizer;
}
