/** Suites over all vocabularies. */
import { describe } from "vitest";
import { hasVocabulary, type VocabularyName, vocabularyNames } from "./vocabularies.ts";

/**
 * Defines a suite for each vocabulary. Where one is missing its tests are skipped, and counted as that: so `define` must not
 * open the tokenizer, which is for its tests and hooks to do. @param title with `%s` for the vocabulary's name.
 */
export function describeVocabularies(title: string, define: (name: VocabularyName) => void): void {
  for (const name of vocabularyNames)
    describe.skipIf(!hasVocabulary(name))(title.replace("%s", name), () => define(name));
}
