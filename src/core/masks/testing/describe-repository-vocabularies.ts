/** Suites over the vocabularies of the repository. */
import { describe } from "vitest";
import type { ModelTokenizer } from "../../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerNames } from "../../tokenizer/testing/repository-tokenizers.ts";
import { repositoryTokenizer } from "./repository-vocabularies.ts";
import type { VocabularyName } from "./vocabularies.ts";

/** Defines the tests of one vocabulary. Its tests and hooks open the tokenizer: a vocabulary may be missing. */
export type VocabularyTests = (name: VocabularyName, tokenizerOf: () => ModelTokenizer) => void;

/** @param title with `%s` for the vocabulary's name */
export function describeRepositoryVocabularies(title: string, define: VocabularyTests): void {
  for (const name of repositoryTokenizerNames)
    describe(title.replace("%s", name), () => define(name, () => repositoryTokenizer(name)));
}
