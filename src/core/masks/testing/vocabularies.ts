/** The vocabularies of the tests: the bundled model's, one of real size, and a larger one that may be missing. */
import {
  hasTestTokenizer,
  type TestTokenizerName,
  testTokenizerData,
  testTokenizerNames,
} from "../../tokenizer/testing/test-tokenizers.ts";
import { createTokenizersOnce } from "./repository-vocabularies.ts";

export type VocabularyName = TestTokenizerName;
export const vocabularyNames = testTokenizerNames;
export const hasVocabulary = hasTestTokenizer;

/** Each tokenizer is made once for a test file. @throws Error where `hasVocabulary` is false. */
export const testTokenizer = createTokenizersOnce<VocabularyName>(testTokenizerData);
