import { expect, test } from "vitest";
import type { ModelTokenizer } from "../../tokenizer/create-tokenizer.ts";
import { readCorpus } from "../testing/corpus.ts";
import type { VocabularyTests } from "../testing/describe-repository-vocabularies.ts";
import { instanceTextsOf, isRefusal, strategyOfSchemaCase } from "../testing/verdicts.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";

const aSample = readCorpus().filter((_, index) => index % 15 === 4);

/** Tokens by their bytes as characters. */
function tokensByBytes(tokenizer: ModelTokenizer): ReadonlyMap<string, number> {
  const { size, bytesOf } = vocabularyOf(tokenizer);
  const found = new Map<string, number>();
  for (let token = size - 1; token >= 0; token--) found.set(String.fromCharCode(...bytesOf(token)), token);
  return found;
}

/** The first place of a text behind which no token of a sampling mask goes on; null if all of it can be written. */
function stopOf(
  start: ConstraintState,
  text: Uint8Array,
  tokens: ReadonlyMap<string, number>,
): number | null {
  const states = new Map([[0, start]]);
  let farthest = 0;
  for (let place = 0; place < text.length; place++) {
    const state = states.get(place);
    if (!state) continue;
    farthest = place;
    const mask = state.samplingMask();
    for (let end = place + 1; end <= text.length && end <= place + 40; end++) {
      const token = tokens.get(String.fromCharCode(...text.subarray(place, end)));
      if (token === undefined || states.has(end) || !hasToken(mask, token)) continue;
      const next = state.advance(token);
      if (next) states.set(end, next);
    }
  }
  return states.has(text.length) ? null : farthest;
}

/** Defines the tests that texts of the corpus can be written with the tokens of sampling masks. */
export const testTextsOfCorpus: VocabularyTests = (_, tokenizerOf) => {
  test("can be written with the tokens of sampling masks, which are tokens of the masks", () => {
    const tokens = tokensByBytes(tokenizerOf());
    const stopped: string[] = [];
    for (const each of aSample) {
      const strategy = strategyOfSchemaCase(each);
      if (isRefusal(strategy)) continue;
      const { start } = constraintOf(strategy, tokenizerOf());
      for (const text of each.valid.slice(0, 2).map((value) => instanceTextsOf(each, value).at(-1) ?? "")) {
        const stop = stopOf(start, new TextEncoder().encode(text), tokens);
        if (stop !== null) stopped.push(`${text.slice(0, 300)} at ${stop}`);
      }
      const [mask, exact] = [start.samplingMask(), start.mask()];
      expect(mask.some((word, at) => (word & ~(exact[at] as number)) !== 0)).toBe(false);
    }
    expect(stopped).toEqual([]);
  });
};
