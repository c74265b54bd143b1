import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultSampling, type SamplingName, type SamplingSettings } from "../../base/sampling.ts";
import type { TokenHistory } from "../ports/logits.ts";
import { findOverwrittenLogits } from "./differences.ts";
import { createSampler } from "./sampler.ts";

const none: TokenHistory = { tokens: [], promptLength: 0 };
const infinite = Number.NEGATIVE_INFINITY;

/** The distribution that is sampled, measured: the share of draws that give each token. */
function shares(
  logits: number[],
  settings: Partial<SamplingSettings>,
  history = none,
  draws = 4000,
): number[] {
  const sampler = createSampler(logits.length);
  const counts = new Array<number>(logits.length).fill(0);
  for (let draw = 0; draw < draws; draw++) {
    const { token } = sampler.sample(
      Float32Array.from(logits),
      { ...defaultSampling, ...settings },
      history,
      (draw + 0.5) / draws,
    );
    counts[token] = (counts[token] ?? 0) + 1 / draws;
  }
  return counts;
}

/** Logits that are logarithms of these weights, so that a table can be worked out by hand. */
const ln = (...weights: number[]) => weights.map(Math.log);

/** A value of each setting that has to be seen in what is sampled: the type asks for a row for every setting of the table. */
const effective: Readonly<Record<SamplingName, number>> = {
  repetitionPenalty: 2,
  presencePenalty: 1,
  frequencyPenalty: 1,
  temperature: 0.5,
  topK: 2,
  topP: 0.5,
  minP: 0.5,
};
test.each(Object.entries(effective))("%s %s changes what is sampled", (name, value) => {
  const seen: TokenHistory = { tokens: [0, 1, 1], promptLength: 1 };
  expect(shares([3, 2, 2.5], { [name]: value }, seen)).not.toEqual(shares([3, 2, 2.5], {}, seen));
});

describe("worked out by hand", () => {
  const tables: Record<string, [logits: number[], settings: Partial<SamplingSettings>, expected: number[]]> =
    {
      "temperature 1": [ln(1, 2, 5), {}, [0.125, 0.25, 0.625]],
      "temperature 0.5 squares": [ln(1, 2, 5), { temperature: 0.5 }, [1 / 30, 4 / 30, 25 / 30]],
      "temperature 2 takes roots": [ln(1, 4, 9), { temperature: 2 }, [1 / 6, 2 / 6, 3 / 6]],
      "temperature 0 takes the largest": [ln(1, 5, 2), { temperature: 0 }, [0, 1, 0]],
      "of equals the first": [ln(5, 5, 2), { temperature: 0 }, [1, 0, 0]],
      "top-k 2": [ln(1, 2, 5), { topK: 2 }, [0, 2 / 7, 5 / 7]],
      "top-k above the vocabulary": [ln(1, 2, 5), { topK: 9 }, [0.125, 0.25, 0.625]],
      "top-k of equals keeps lower ids": [ln(3, 3, 3, 1), { topK: 2 }, [0.5, 0.5, 0, 0]],
      "top-p reached by one": [ln(1, 2, 7), { topP: 0.69 }, [0, 0, 1]],
      "top-p that needs a second": [ln(1, 2, 7), { topP: 0.71 }, [0, 2 / 9, 7 / 9]],
      "top-p 0 keeps one": [ln(1, 2, 7), { topP: 0 }, [0, 0, 1]],
      "top-p looks at what top-k left": [ln(1, 2, 3, 4), { topK: 2, topP: 0.57 }, [0, 0, 0, 1]],
      "min-p 0.3 of the largest": [ln(1, 2, 5), { minP: 0.3 }, [0, 2 / 7, 5 / 7]],
      "min-p 1 keeps the largest": [ln(1, 2, 5), { minP: 1 }, [0, 0, 1]],
      "min-p after temperature": [ln(1, 2, 5), { temperature: 0.5, minP: 0.17 }, [0, 0, 1]],
      "logit bias": [ln(1, 2, 5), { logitBias: { 0: Math.log(3) } }, [0.3, 0.2, 0.5]],
      "logit bias outside the vocabulary": [ln(1, 1), { logitBias: { 7: 5 } }, [0.5, 0.5]],
      "-Infinity is never chosen": [[infinite, 0, 0], {}, [0, 0.5, 0.5]],
      "-Infinity is not a candidate of top-k": [[infinite, 0, infinite], { topK: 2 }, [0, 1, 0]],
    };
  test.each(Object.entries(tables))("%s", (_, [logits, settings, expected]) => {
    for (const [token, share] of shares(logits, settings).entries())
      expect(share).toBeCloseTo(expected[token] ?? 0, 3);
  });

  /** Token 0 is in the prompt, token 1 twice in the output. */
  const history = { tokens: [0, 1, 1], promptLength: 1 };
  const penalties: Record<string, [logits: number[], settings: Partial<SamplingSettings>, same: number[]]> = {
    "repetition divides what is above 0": [[3, 1, 2], { repetitionPenalty: 2 }, [1.5, 0.5, 2]],
    "repetition multiplies what is below 0": [[-1, 0, -1], { repetitionPenalty: 2 }, [-2, 0, -1]],
    "presence counts the output once": [[1, 1, 1], { presencePenalty: 0.5 }, [1, 0.5, 1]],
    "frequency counts each time": [[1, 1, 1], { frequencyPenalty: 0.5 }, [1, 0, 1]],
    "all, after the bias": [
      [3, 1, 2],
      { logitBias: { 1: 3 }, repetitionPenalty: 2, presencePenalty: 0.25, frequencyPenalty: 0.5 },
      [1.5, 0.75, 2],
    ],
  };
  test.each(Object.entries(penalties))("%s", (_, [logits, settings, same]) => {
    const expected = shares(same, {});
    for (const [token, share] of shares(logits, settings, history).entries())
      expect(share).toBeCloseTo(expected[token] ?? 0, 3);
  });
});

describe("against a slow and plain computation in float64", () => {
  /** Sorts everything, keeps everything as a list. */
  function distribution(logits: readonly number[], settings: SamplingSettings): Map<number, number> {
    const scaled = logits.map((logit) => logit / settings.temperature);
    const most = Math.max(...scaled);
    let entries = scaled.map((score, token) => ({ token, weight: Math.exp(score - most) }));
    entries = entries.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
    if (settings.topK > 0) entries = entries.slice(0, settings.topK);
    const sum = entries.reduce((total, { weight }) => total + weight, 0);
    let before = 0;
    entries = entries.filter(({ weight }, place) => {
      const isKept = place === 0 || settings.topP === 1 || before < settings.topP * sum;
      before += weight;
      return isKept;
    });
    entries = entries.filter(({ weight }) => weight >= settings.minP);
    const kept = entries.reduce((total, { weight }) => total + weight, 0);
    return new Map(entries.map(({ token, weight }) => [token, weight / kept]));
  }

  const settings = fc.record({
    temperature: fc.double({ min: 0.05, max: 5, noNaN: true }),
    topK: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 80 })),
    topP: fc.oneof(fc.constant(1), fc.double({ min: 0.01, max: 0.999, noNaN: true })),
    minP: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1, noNaN: true })),
  });
  // Distinct logits: of equals the order of a sum may decide at a border.
  const logits = fc.uniqueArray(fc.integer({ min: -20_000, max: 20_000 }), { minLength: 1, maxLength: 100 });
  const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test("the same candidates, the same probability, the same choice", () => {
    fc.assert(
      fc.property(logits, settings, draw, (integers, some, drawn) => {
        const row = Float32Array.from(integers, (integer) => integer / 1000);
        const all = { ...defaultSampling, ...some };
        const expected = distribution([...row], all);
        const { token, probability, candidates } = createSampler(row.length).sample(row, all, none, drawn);
        // The sampler ignores tokens that are 64 natural-log units below the most likely token.
        const visible = [...expected.values()].filter((share) => share > 1e-25).length;
        expect(candidates).toBeGreaterThanOrEqual(visible);
        expect(candidates).toBeLessThanOrEqual(expected.size);
        expect(probability).toBeCloseTo(expected.get(token) ?? 0, 9);
        const below = [...expected].filter(([id]) => id < token).reduce((sum, [, share]) => sum + share, 0);
        expect(drawn).toBeGreaterThanOrEqual(below - 1e-9);
        expect(drawn).toBeLessThanOrEqual(below + (expected.get(token) ?? 0) + 1e-9);
      }),
      { numRuns: 2000 },
    );
  });
});

test("the row is not changed, and a sampler remembers nothing", () => {
  const row = Float32Array.from([1, 2, 3, 4]);
  const sampler = createSampler(4);
  const settings = {
    ...defaultSampling,
    topK: 2,
    topP: 0.5,
    minP: 0.1,
    logitBias: { 0: 9 },
    repetitionPenalty: 2,
  };
  const first = sampler.sample(row, settings, { tokens: [1, 2], promptLength: 1 }, 0.7);
  sampler.sample(Float32Array.from([9, 0, 0, 0]), defaultSampling, none, 0.1);
  expect(sampler.sample(row, settings, { tokens: [1, 2], promptLength: 1 }, 0.7)).toEqual(first);
  expect([...row]).toEqual([1, 2, 3, 4]);
});

test("every draw below 1 gives a token that may be chosen", () => {
  const row = Float32Array.from({ length: 1000 }, (_, token) =>
    token % 3 === 0 ? infinite : Math.sin(token),
  );
  const sampler = createSampler(1000);
  for (const draw of [0, 2 ** -32, 0.5, 1 - 2 ** -32]) {
    const { token, probability } = sampler.sample(row, defaultSampling, none, draw);
    expect(token % 3).not.toBe(0);
    expect(probability).toBeGreaterThan(0);
  }
});

describe("an edited row and its original, weighed in one go", () => {
  const logit = fc.oneof(
    { weight: 5, arbitrary: fc.float({ min: -20, max: 20, noNaN: true }) },
    fc.integer({ min: -2, max: 2 }),
    fc.constant(infinite),
  );
  const settings = fc.record({
    temperature: fc.constantFrom(0, 0.3, 1, 2.5),
    topK: fc.constantFrom(0, 1, 3, 40),
    topP: fc.constantFrom(0, 0.4, 0.95, 1),
    minP: fc.constantFrom(0, 0.05, 0.6, 1),
    presencePenalty: fc.constantFrom(0, 0, 0, 0.5),
  });
  const history: TokenHistory = { tokens: [1, 2, 3], promptLength: 1 };

  test("choose what each chooses alone", () => {
    fc.assert(
      fc.property(
        fc.array(logit, { minLength: 64, maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(199), logit), { maxLength: 5 }),
        settings,
        fc.integer({ min: 0, max: 999 }),
        fc.boolean(),
        (values, edits, chosen, draw, isPrepared) => {
          const original = Float32Array.from(values);
          const edited = original.slice();
          for (const [token, value] of edits) if (token < edited.length) edited[token] = value;
          fc.pre(original.some(Number.isFinite) && edited.some(Number.isFinite));
          const all: SamplingSettings = { ...defaultSampling, ...chosen };
          const uniform = (draw + 0.5) / 1000;
          const together = createSampler(original.length);
          for (const row of [edited, original, edited]) {
            const alone = createSampler(original.length).sample(row, all, history, uniform);
            if (isPrepared) together.prepare(original, all);
            const differences = findOverwrittenLogits(original, row);
            const choice = together.sample(row, all, history, uniform, { row: original, differences });
            expect(choice.candidates).toBe(alone.candidates);
            expect(choice.probability).toBeCloseTo(alone.probability, 9);
            expect(choice.token).toBe(alone.token);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test("top-p 0 keeps the most likely, also where the original's likeliest is gone", () => {
  const original = new Float32Array(64);
  original[9] = 3;
  original[40] = 2;
  const edited = original.slice();
  edited[9] = infinite;
  const sampler = createSampler(64);
  const from = { row: original, differences: findOverwrittenLogits(original, edited) };
  expect(sampler.sample(edited, { ...defaultSampling, topP: 0 }, none, 0.5, from).token).toBe(40);
});
