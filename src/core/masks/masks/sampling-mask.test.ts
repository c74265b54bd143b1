import { describe, expect, test } from "vitest";
import { jsonSchema } from "../strategies/json-schema.ts";
import { regex } from "../strategies/regex.ts";
import type { Strategy } from "../strategy.ts";
import { readCorpus } from "../testing/corpus.ts";
import { describeVocabularies } from "../testing/describe-vocabularies.ts";
import { instanceTextsOf, isRefusal, strategyOfSchemaCase } from "../testing/verdicts.ts";
import { testTokenizer, type VocabularyName } from "../testing/vocabularies.ts";
import { firstTokens, hasToken } from "../vocabulary/token-bits.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";

const smol = testTokenizer("smollm2-135m");

/** The state after a text, spelled as the tokenizer spells it. */
function stateAfter(strategy: Strategy, text: string): ConstraintState {
  let state: ConstraintState | null = constraintOf(strategy, smol).start;
  for (const token of smol.encode(text)) state = state?.advance(token) ?? null;
  if (state === null) throw new Error(`${text} is not allowed.`);
  return state;
}

const tokenOf = (text: string): number => {
  const [token, ...others] = smol.encode(text);
  if (token === undefined || others.length > 0) throw new Error(`${text} is not one token.`);
  return token;
};
const texts = (mask: Uint32Array) => firstTokens(mask, 300).map((token) => smol.tokenText(token));
const spaced = (properties: object) =>
  jsonSchema(
    { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
    { whiteSpace: "spaced" },
  );

describe("a mask to sample from", () => {
  test("before a string, the space belongs to the token of the quote", () => {
    const state = stateAfter(spaced({ amount: { type: "string" } }), '{"amount":');
    expect(texts(state.mask())).toEqual(expect.arrayContaining([" ", ' "']));
    expect(texts(state.samplingMask())).toContain(' "');
    expect(texts(state.samplingMask())).not.toContain(" ");
  });

  test("before a number, which the tokenizer splits from the space, the space stays", () => {
    const state = stateAfter(spaced({ amount: { type: "number" } }), '{"amount":');
    expect(texts(state.samplingMask())).toContain(" ");
  });

  test("where both may come, the space stays", () => {
    const state = stateAfter(spaced({ amount: { type: ["number", "string"] } }), '{"amount":');
    expect(texts(state.samplingMask())).toEqual(expect.arrayContaining([" ", ' "']));
  });

  test("after a bracket, the quote belongs to its token, though a text may begin with a comma", () => {
    const state = stateAfter(
      spaced({ list: { type: "array", items: { type: "string" }, minItems: 1 } }),
      '{"list":',
    );
    expect(texts(state.mask())).toEqual(expect.arrayContaining([" [", ' ["']));
    expect(texts(state.samplingMask())).not.toContain(" [");
    expect(texts(state.samplingMask())).toContain(' ["');
  });

  test("a name is spelled as the tokenizer spells it", () => {
    const state = stateAfter(jsonSchema({ enum: ["name", "number"] }), '"');
    expect(texts(state.mask())).toEqual(expect.arrayContaining(["n", "name"]));
    expect(texts(state.samplingMask()).filter((text) => !/^(name|number)/.test(text))).toEqual([]);
  });

  test("the beginning of the tokenizer's own spelling stays, though a longer token carries it on", () => {
    const state = stateAfter(spaced({ unit: { enum: ["celsius", "fahrenheit"] } }), '{"unit": "');
    const [first] = smol.encode("celsius");
    expect(smol.tokenText(first ?? 0)).toBe("c");
    expect(texts(state.samplingMask())).toContain("c");
  });

  test("where no spelling is canonical, some spelling stays", () => {
    let state: ConstraintState | null = constraintOf(regex(/nam(e|es)x/), smol).start;
    for (const letter of "name") {
      state = state?.advance(tokenOf(letter)) ?? null;
      expect(state && firstTokens(state.samplingMask(), 1)).toHaveLength(1);
    }
  });

  test("a token that is left out is accepted all the same", () => {
    const state = stateAfter(spaced({ amount: { type: "string" } }), '{"amount":');
    expect(state.allows(tokenOf(" "))).toBe(true);
    expect(state.advance(tokenOf(" "))?.advance(tokenOf('"'))).not.toBeNull();
  });
});

const aSample = readCorpus().filter((_, index) => index % 15 === 4);

/** Tokens by their bytes as characters. */
function tokensByBytes(name: VocabularyName): ReadonlyMap<string, number> {
  const { size, bytesOf } = vocabularyOf(testTokenizer(name));
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

describeVocabularies("texts of the corpus with the vocabulary of %s", (name) => {
  test("can be written with the tokens of sampling masks, which are tokens of the masks", () => {
    const tokens = tokensByBytes(name);
    const stopped: string[] = [];
    for (const each of aSample) {
      const strategy = strategyOfSchemaCase(each);
      if (isRefusal(strategy)) continue;
      const { start } = constraintOf(strategy, testTokenizer(name));
      for (const text of each.valid.slice(0, 2).map((value) => instanceTextsOf(each, value).at(-1) ?? "")) {
        const stop = stopOf(start, new TextEncoder().encode(text), tokens);
        if (stop !== null) stopped.push(`${text.slice(0, 300)} at ${stop}`);
      }
      const [mask, exact] = [start.samplingMask(), start.mask()];
      expect(mask.some((word, at) => (word & ~(exact[at] as number)) !== 0)).toBe(false);
    }
    expect(stopped).toEqual([]);
  });
});
