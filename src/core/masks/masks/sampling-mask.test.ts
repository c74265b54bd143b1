import { describe, expect, test } from "vitest";
import { jsonSchema } from "../strategies/json-schema.ts";
import { regex } from "../strategies/regex.ts";
import type { Strategy } from "../strategy.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { firstTokens } from "../vocabulary/token-bits.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";
import { testTextsOfCorpus } from "./sampling-mask.conformance.ts";

const smol = repositoryTokenizer("smollm2-135m");

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

describeRepositoryVocabularies("texts of the corpus with the vocabulary of %s", testTextsOfCorpus);
