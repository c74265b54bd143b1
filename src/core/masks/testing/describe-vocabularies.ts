/** Suites over the vocabularies that are not in the repository. A missing vocabulary's tests are skipped, and counted as skipped. */
import { describe } from "vitest";
import { repositoryTokenizers } from "../../tokenizer/testing/repository-tokenizers.ts";
import type { VocabularyTests } from "./describe-repository-vocabularies.ts";
import { hasVocabulary, testTokenizer, vocabularyNames } from "./vocabularies.ts";

/** @param title with `%s` for the vocabulary's name */
export function describeOutsideVocabularies(title: string, define: VocabularyTests): void {
  for (const name of vocabularyNames.filter((each) => !(each in repositoryTokenizers)))
    describe.skipIf(!hasVocabulary(name))(title.replace("%s", name), () =>
      define(name, () => testTokenizer(name)),
    );
}
