import { describe, expect, test } from "vitest";
import { type ConstraintState, constraintOf } from "./constraint.ts";
import { jsonSchema } from "./strategies/json-schema.ts";
import { regex } from "./strategies/regex.ts";
import type { Strategy } from "./strategy.ts";
import { readCorpus } from "./testing/corpus.ts";
import { describeVocabularies } from "./testing/describe-vocabularies.ts";
import { isRefusal, strategyOf, textsOf } from "./testing/verdicts.ts";
import { testTokenizer } from "./testing/vocabularies.ts";
import { firstTokens, hasToken } from "./token-bits.ts";

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

  test("where both may come, the space stays, and no quote follows it", () => {
    const state = stateAfter(spaced({ amount: { type: ["number", "string"] } }), '{"amount":');
    expect(texts(state.samplingMask())).toEqual(expect.arrayContaining([" ", ' "']));
    const next = state.advance(tokenOf(" ")) as ConstraintState;
    expect(texts(next.mask())).toContain('"');
    expect(texts(next.samplingMask())).not.toContain('"');
    expect(texts(next.samplingMask())).toContain("1");
  });

  test("a name is spelled as the tokenizer spells it", () => {
    const state = stateAfter(jsonSchema({ enum: ["name", "number"] }), '"');
    expect(texts(state.mask())).toEqual(expect.arrayContaining(["n", "name"]));
    expect(texts(state.samplingMask()).filter((text) => !/^(name|number)/.test(text))).toEqual([]);
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

describeVocabularies("every text of the corpus, as %s spells it", (name) => {
  test("its tokens are in the masks to sample from", () => {
    const tokenizer = testTokenizer(name);
    const left: string[] = [];
    for (const each of aSample) {
      const strategy = strategyOf(each);
      if (isRefusal(strategy)) continue;
      for (const text of each.valid.slice(0, 2).map((value) => textsOf(each, value).at(-1) ?? "")) {
        let state: ConstraintState | null = constraintOf(strategy, tokenizer).start;
        for (const [index, token] of tokenizer.encode(text).entries()) {
          if (!state?.allows(token)) break;
          const mask = state.samplingMask();
          if (!hasToken(mask, token))
            left.push(`${text.slice(0, 200)}: token ${index}, ${JSON.stringify(tokenizer.tokenText(token))}`);
          if (mask.some((word, at) => (word & ~((state as ConstraintState).mask()[at] ?? 0)) !== 0))
            left.push(`${text}: more than the mask`);
          state = state.advance(token);
        }
      }
    }
    expect(left).toEqual([]);
  });
});
