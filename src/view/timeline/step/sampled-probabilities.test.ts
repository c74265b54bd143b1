import { describe, expect, test } from "vitest";
import { samplingNames, samplingNumbers } from "../../../core/base/sampling.ts";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { probabilitiesInDraw } from "./sampled-probabilities.ts";

/** Three tokens with the probabilities 0.6, 0.3 and 0.1. */
const top = [0.6, 0.3, 0.1].map((probabilities, token) => ({
  token,
  text: String(token),
  logprob: Math.log(probabilities),
}));
const { sampling } = requestRecord();

/** The probabilities of the first `left` tokens at a temperature. */
function tempered(temperature: number, left = 3): readonly number[] {
  const weights = [0.6, 0.3, 0.1].map((probabilities, token) =>
    token < left ? probabilities ** (1 / temperature) : 0,
  );
  const sum = weights.reduce((total, each) => total + each);
  return weights.map((weight) => weight / sum);
}

describe("the odds of a step at the temperature that a mod set", () => {
  test.each([
    [0.5, 3, 0],
    [0.5, 3, 2],
    [2, 3, 1],
    [0.25, 2, 1],
    [1.7, 1, 0],
  ])("temperature %f, %i tokens left, token %i drawn", (temperature, candidates, drawn) => {
    const expected = tempered(temperature, candidates);
    const probabilities = probabilitiesInDraw({
      top,
      temperature,
      drawn,
      probability: expected[drawn] ?? 0,
      candidates,
      sampling,
    });
    probabilities.forEach((value, token) => {
      expect(value).toBeCloseTo(expected[token] ?? Number.NaN, 12);
    });
  });

  test("at temperature 0 the drawn token is certain", () => {
    expect(
      probabilitiesInDraw({ top, temperature: 0, drawn: 1, probability: 1, candidates: 1, sampling }),
    ).toEqual([0, 1, 0]);
  });

  const penalties = samplingNames.filter((name) => samplingNumbers[name].role === "logits");
  const penaltyChanges = penalties.map((name) => ({ [name]: samplingNumbers[name].neutral + 0.5 }));
  test.each([...penaltyChanges, { logitBias: { 2: 1 } }])(
    "with %o, which the record has only in the drawn token, the others are unknown",
    (changes) => {
      const given = { top, temperature: 0.5, drawn: 1, probability: 0.4, candidates: 3 };
      expect(probabilitiesInDraw({ ...given, sampling: { ...sampling, ...changes } })).toEqual([
        null,
        0.4,
        null,
      ]);
    },
  );

  test("a drawn token that is not among the most likely says nothing of them", () => {
    const given = { top, temperature: 0.5, drawn: -1, probability: 0.01, candidates: 3, sampling };
    expect(probabilitiesInDraw(given)).toEqual([null, null, null]);
  });
});
