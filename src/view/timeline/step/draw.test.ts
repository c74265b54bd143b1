/** The drawn bars are compared with the real sampler, for random probabilities of which only the most likely are recorded. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultSampling, type SamplingSettings } from "../../../core/base/sampling.ts";
import { createSampler } from "../../../core/decoder/logits/sampler.ts";
import { randomCutOffs } from "../../../core/decoder/testing/cut-off-values.ts";
import { cumulativeProbabilities, describeCutOffs } from "./cut-offs.ts";
import { layOutTokenDraw } from "./draw-layout.ts";
import { tokenDrawDistribution } from "./drawn-from.ts";
import { movedMass, movedMassLabel } from "./moved-mass.ts";
import type { ListedProbabilities } from "./step-probabilities.ts";

const vocabularySize = 40;
const recorded = 10;
/**
 * Logits that float32 can hold, so that equal logits stay equal. Some distributions are nearly uniform, so that much of them
 * is not recorded.
 */
const logits = fc.constantFrom(4, 16, 128).chain((most) =>
  fc.array(
    fc.integer({ min: -most, max: most }).map((sixteenths) => sixteenths / 16),
    { minLength: vocabularySize, maxLength: vocabularySize },
  ),
);
const draws = fc.double({ min: 0, max: 0.999_999, noNaN: true });
const settings = fc
  .record({ temperature: fc.constantFrom(0.5, 0.7, 1, 1.6), cutOffs: randomCutOffs })
  .map(({ temperature, cutOffs }) => ({ ...cutOffs, temperature }));

function softmax(row: readonly number[]): number[] {
  const weights = row.map((logit) => Math.exp(logit - Math.max(...row)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The probabilities in a trace: those of the most likely tokens and of the drawn token. */
function probabilitiesOf(row: readonly number[], drawn: number | null): ListedProbabilities {
  const all = softmax(row)
    .map((probability, token) => ({ token, text: `t${token}`, probability }))
    .sort((one, other) => other.probability - one.probability || one.token - other.token);
  const list = all.filter((each, rank) => rank < recorded || each.token === drawn);
  return { list, mostOther: all[recorded - 1]?.probability ?? 1 };
}

function drawWith(row: readonly number[], changes: Partial<SamplingSettings>, draw: number) {
  const sampling = { ...defaultSampling, ...changes };
  const sampler = createSampler(vocabularySize);
  const given = Float32Array.from(row);
  const history = { tokens: [], promptLength: 0 };
  const { token, probability, candidates } = sampler.sample(given, sampling, history, draw);
  const exact = (id: number) => sampler.choiceOf(id, given, sampling, history).probability;
  const known = { token, text: `t${token}`, probability, candidates };
  return {
    known,
    exact,
    drawing: {
      probabilities: probabilitiesOf(row, token),
      temperature: sampling.temperature,
      sampling,
      vocabularySize,
      known,
    },
  };
}

test("of one recorded draw every listed token’s share is what the sampler gave it", () => {
  fc.assert(
    fc.property(logits, settings, draws, (row, changes, draw) => {
      const { exact, drawing } = drawWith(row, changes, draw);
      const drawn = tokenDrawDistribution(drawing);
      for (const { token, share } of drawn?.tokens ?? []) expect(share).toBeCloseTo(exact(token), 4);
      const sum = (drawn?.tokens ?? []).reduce((all, { share }) => all + share, drawn?.others ?? 0);
      expect(sum).toBeCloseTo(1, 3);
      expect(drawn?.isEstimate).toBe(false);
    }),
  );
});

test("without a recorded draw, shares that are not called an estimate are right", () => {
  let exactOnes = 0;
  fc.assert(
    fc.property(logits, settings, (row, changes) => {
      const { exact, drawing } = drawWith(row, changes, 0.5);
      const drawn = tokenDrawDistribution({
        ...drawing,
        probabilities: probabilitiesOf(row, null),
        known: null,
      });
      if (!drawn || drawn.isEstimate) return;
      exactOnes += 1;
      for (const { token, share } of drawn.tokens) expect(Math.abs(share - exact(token))).toBeLessThan(0.012);
    }),
  );
  expect(exactOnes).toBeGreaterThan(20);
});

test("where rounding decides whether a token is cut, the shares are called an estimate", () => {
  // Five tokens are equally likely, and top-p 0.2 ends exactly after the first of them.
  const row = Array.from({ length: vocabularySize }, (_, token) => (token < 5 ? 0.25 : -0.25));
  const { drawing } = drawWith(row, { topK: 5, topP: 0.2, temperature: 0.5 }, 0.5);
  const drawn = tokenDrawDistribution({
    ...drawing,
    probabilities: probabilitiesOf(row, null),
    known: null,
  });
  expect(drawn?.isEstimate).toBe(true);
});

test("where min-p may exclude some of the unlisted tokens, the shares are called an estimate", () => {
  const row = Array.from({ length: vocabularySize }, (_, token) => (token % 3 === 2 ? -0.125 : 0));
  const { drawing } = drawWith([0.25, ...row.slice(1)], { minP: 0.5, temperature: 0.5 }, 0.5);
  const drawn = tokenDrawDistribution({
    ...drawing,
    probabilities: probabilitiesOf([0.25, ...row.slice(1)], null),
    known: null,
  });
  expect(drawn?.isEstimate).toBe(true);
});

test("the random number lies on the token that was drawn, and the bar is whole", () => {
  fc.assert(
    fc.property(logits, settings, draws, (row, changes, draw) => {
      const { known, drawing } = drawWith(row, changes, draw);
      const drawn = tokenDrawDistribution(drawing);
      if (!drawn) throw new Error("There was a draw.");
      const { parts, isOrdered } = layOutTokenDraw(drawn, draw, known);
      expect(isOrdered).toBe(true);
      const under = parts.find(({ token }) => token?.token === known.token);
      expect(under?.from).toBeLessThanOrEqual(draw + 1e-3);
      expect(under?.to).toBeGreaterThanOrEqual(draw - 1e-3);
      expect(parts.at(-1)?.to).toBeCloseTo(1, 3);
      parts.slice(1).forEach(({ from }, place) => {
        expect(from).toBeCloseTo(parts[place]?.to ?? Number.NaN, 9);
      });
      const ids = parts.flatMap(({ token }) => (token ? [token.token] : []));
      expect(ids).toEqual([...ids].sort((one, other) => one - other));
    }),
  );
});

test("a link without ids stands by likelihood, and nothing falls on it", () => {
  const probabilities = {
    list: [
      { token: -1, text: "a", probability: 0.6 },
      { token: -1, text: "b", probability: 0.4 },
    ],
    mostOther: 0,
  };
  const known = { token: -1, text: "b", probability: 0.4, candidates: 2 };
  const drawn = tokenDrawDistribution({
    probabilities,
    temperature: 1,
    sampling: defaultSampling,
    vocabularySize: 2,
    known,
  });
  if (!drawn) throw new Error("There was a draw.");
  expect(layOutTokenDraw(drawn, null, known)).toMatchObject({
    isOrdered: false,
    parts: [{ from: 0, to: 0.6 }, { from: 0.6 }],
  });
});

describe("cut-offs", () => {
  test("at temperature 1 the first that cuts leaves as many as the sampler did", () => {
    let seen = 0;
    fc.assert(
      fc.property(logits, settings, draws, (row, changes, draw) => {
        const { drawing, known } = drawWith(row, { ...changes, temperature: 1 }, draw);
        const curve = cumulativeProbabilities(drawing);
        const ranks = curve?.cutOffs.map(({ rank }) => rank) ?? [];
        if (ranks.length === 0 || ranks.includes(null)) return;
        seen += 1;
        expect(Math.min(...ranks.map((rank) => rank ?? vocabularySize))).toBe(known.candidates);
      }),
    );
    expect(seen).toBeGreaterThan(10);
  });

  test("sums rise, and are said in words", () => {
    const row = Array.from({ length: vocabularySize }, (_, id) => -id);
    const { drawing } = drawWith(row, { topK: 8, topP: 0.6, minP: 0.3 }, 0);
    const curve = cumulativeProbabilities(drawing);
    if (!curve) throw new Error("There was a draw.");
    expect(curve.sums[0]).toBeCloseTo(1 - Math.exp(-1), 4);
    expect([...curve.sums].sort((one, other) => one - other)).toEqual(curve.sums);
    expect(describeCutOffs(curve, vocabularySize)).toBe(
      "Top-k 8 keeps 8 tokens, top-p 0.6 keeps 1 token, min-p 0.3 keeps 2 tokens; 1 of 40 tokens could be chosen.",
    );
  });

  test.each([{ temperature: 0 }, { presencePenalty: 1 }, { logitBias: { 1: 2 } }])(
    "%o: there is no picture",
    (changes) => {
      const { drawing } = drawWith(new Array(vocabularySize).fill(0), changes, 0.5);
      expect(cumulativeProbabilities(drawing)).toBeNull();
      expect(tokenDrawDistribution(drawing)).toBeNull();
    },
  );
});

describe("moved mass", () => {
  test("what truly moved lies between the bounds, whatever is not recorded", () => {
    fc.assert(
      fc.property(logits, logits, (one, other) => {
        const [from, to] = [softmax(one), softmax(other)];
        const moved =
          from.reduce((sum, probability, id) => sum + Math.abs(probability - (to[id] ?? 0)), 0) / 2;
        const { least, most } = movedMass(probabilitiesOf(one, null), probabilitiesOf(other, null));
        expect(least).toBeLessThanOrEqual(moved + 1e-9);
        expect(most).toBeGreaterThanOrEqual(moved - 1e-9);
      }),
    );
  });

  test("where every token is recorded both bounds are the same, and the movers are those that changed most", () => {
    const list = (...probabilities: readonly number[]): ListedProbabilities => ({
      list: probabilities.map((probability, token) => ({ token, text: `t${token}`, probability })),
      mostOther: 0,
    });
    const moved = movedMass(list(0.5, 0.3, 0.2), list(0, 0.7, 0.3));
    expect(moved).toMatchObject({ least: expect.closeTo(0.5), most: expect.closeTo(0.5) });
    expect(moved.movers.map(({ text }) => text)).toEqual(["t0", "t1", "t2"]);
    expect(movedMassLabel(moved)).toBe("50%");
    expect(movedMassLabel({ least: 0.43, most: 0.51 })).toBe("43% to 51%");
  });
});
