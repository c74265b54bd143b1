/** Rows of which only the most likely tokens are listed: what they decide is what whole rows give, and the rest is bounded. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomBits } from "../../base/random.ts";
import { cutOffNames } from "../../base/sampling.ts";
import { InvalidActionError, type SparseLogitsEdit } from "../../sdk/action.ts";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import { cutOffValues } from "../testing/cut-off-values.ts";
import { createTopTokenServer, listedOf, logprobsOf } from "../testing/listed-model.ts";
import { CpuLogits } from "./cpu-logits.ts";
import { PartialLogits } from "./partial-logits.ts";
import { createSampler } from "./sampler.ts";

const size = 2_500;

/** Log-probabilities with a different order for each seed; flat or steep by `spread`. */
function rowOf(seed: number, spread: number, length = size): Float32Array {
  const logits = Float32Array.from({ length }, (_, token) => {
    const uniform = (randomBits(seed, token) >>> 8) / 2 ** 24;
    return -spread * Math.log1p(uniform * length);
  });
  return logprobsOf(logits);
}

const workspace = () => ({ sampler: createSampler(size), editBuffers: [] });
const fail = (error: unknown) => error;
const settingsOf = (fields: Partial<SamplingSettings>) => ({ ...defaultSampling, ...fields });

const token = fc.integer({ min: 0, max: size - 1 });
const edits = fc.array(
  fc.record<SparseLogitsEdit>(
    {
      ban: fc.array(token, { maxLength: 20 }),
      add: fc.dictionary(token.map(String), fc.float({ min: -9, max: 9, noNaN: true }), { maxKeys: 4 }),
      only: fc.uniqueArray(token, { minLength: 1, maxLength: 40 }),
      mask: fc.integer().map((seed) => Uint32Array.from({ length: 79 }, (_, word) => randomBits(seed, word))),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 2 },
);
const temperature = fc.constantFrom(0.5, 1, 1.7);
const sampling = fc.oneof(
  fc.constant({ temperature: 0 }),
  ...cutOffNames.map((name) => fc.record({ temperature, [name]: cutOffValues[name] })),
  fc.tuple(temperature, fc.record(cutOffValues)).map(([each, all]) => ({ ...all, temperature: each })),
  fc.record({ temperature: fc.constant(0), frequencyPenalty: fc.constantFrom(1.5, -1.5) }),
);
const history = { tokens: [1, 2, 3, 3, 9], promptLength: 1 };

test("where settings leave few tokens, the draw takes the token that a whole row gives", async () => {
  const one = fc.record({
    seed: fc.integer(),
    spread: fc.constantFrom(0.6, 1.5, 4),
    listed: fc.constantFrom(20, 64),
    edits,
    sampling,
    draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });
  let decided = 0;
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(one, async ({ seed, spread, listed, edits: all, sampling: fields, draw }) => {
      const row = rowOf(seed, spread);
      const whole = new CpuLogits(row, workspace());
      const server = createTopTokenServer(listed);
      const part = new PartialLogits(listedOf(server, row), workspace(), fail);
      for (const edit of all) {
        const refused = await refusalOf(() => whole.edit(edit));
        expect(await refusalOf(() => part.edit(edit))).toBe(refused);
        if (refused) return;
      }
      const how = { settings: settingsOf(fields), history, draw, isBoth: false };
      const expected = whole.sample(how);
      const found = await part.sample(how);
      expect(found.token).toBe(expected.token);
      expect(found.drawnBy).toBeUndefined();
      expect(found.probability).toBeCloseTo(expected.probability, 4);
      const [before, after] = [whole.logprobsOf(found.token), await part.logprobsOf(found.token)];
      expect(after.before).toBeCloseTo(before.before, 4);
      decided += 1;
      asked += server.lists + server.named + server.draws;
    }),
    { numRuns: 150 },
  );
  // The other edits leave nothing to sample.
  expect(decided).toBeGreaterThan(80);
  // Most steps need nothing but the list.
  expect(asked / decided).toBeLessThan(1.5);
});

async function refusalOf(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidActionError);
    return true;
  }
}

test("a draw without cut-offs follows the probabilities: listed tokens, a longer list, then the server", async () => {
  const row = rowOf(3, 0.7);
  const server = createTopTokenServer(20);
  const settings = settingsOf({ temperature: 1 });
  const counts = new Map<number, number>();
  const times = 400;
  let drawnByServer = 0;
  for (let i = 0; i < times; i++) {
    const part = new PartialLogits(listedOf(server, row), workspace(), fail);
    const draw = (i + 0.5) / times;
    const { token: drawn, drawnBy } = await part.sample({ settings, history, draw, isBoth: false });
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    if (drawnBy === "server") drawnByServer += 1;
  }
  const longer = listedOf(server, row, 1_024);
  const listed = longer.logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
  expect(drawnByServer / times).toBeCloseTo(1 - listed, 1);
  // Each token has the draws of its own interval: at most one more or less than its share.
  for (const [place, drawn] of longer.tokens.slice(0, 50).entries()) {
    const share = times * Math.exp(longer.logprobs[place] as number);
    expect(Math.abs((counts.get(drawn) ?? 0) - share)).toBeLessThan(1.01);
  }
});

test.each([0.6, 1.7])(
  "at temperature %d a draw without cut-offs follows the probabilities, also where only the whole row decides the draw",
  async (temperature) => {
    const row = rowOf(3, 0.9, 1_500);
    const server = createTopTokenServer(20, { serverDraws: false });
    const settings = settingsOf({ temperature });
    const counts = new Map<number, number>();
    const times = 300;
    for (let i = 0; i < times; i++) {
      const part = new PartialLogits(listedOf(server, row), workspace(), fail);
      const draw = (i + 0.5) / times;
      const { token: drawn, drawnBy } = await part.sample({ settings, history, draw, isBoth: false });
      expect(drawnBy).toBeUndefined();
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect(server.draws).toBe(0);
    expect(server.lists).toBeGreaterThan(times / 2);
    const weights = row.map((logprob) => Math.exp(logprob / temperature));
    const sum = weights.reduce((all, weight) => all + weight, 0);
    // Each token has the draws of its own interval: at most one more or less than its share.
    const wrong = Array.from(weights, (weight, token) => [token, (times * weight) / sum] as const).filter(
      ([token, share]) => Math.abs((counts.get(token) ?? 0) - share) > 1.01,
    );
    expect(wrong).toEqual([]);
  },
);

test("a server that lists 20 tokens at most draws a token that is not listed, or the request ends with a sentence", async () => {
  const row = rowOf(3, 0.7);
  const sampled = (serverDraws: boolean, fields: Partial<SamplingSettings>) => {
    const server = createTopTokenServer(20, { mostListed: 20, serverDraws });
    const part = new PartialLogits(listedOf(server, row), workspace(), fail);
    return part.sample({ settings: settingsOf(fields), history, draw: 0.99, isBoth: false });
  };
  expect(await sampled(true, { temperature: 1 })).toMatchObject({ drawnBy: "server" });
  await expect(sampled(false, { temperature: 1 })).rejects.toThrow(
    "The server lists at most 20 tokens at each step. That is too few to draw a token at temperature 1. The server is not allowed to draw a token itself (serverDraws is false). Set top-k below 20, or configure the server to list more tokens.",
  );
  await expect(sampled(true, { temperature: 1.7, topP: 0.99 })).rejects.toThrow(
    "That is too few to draw a token at temperature 1.7. Set top-k below 20",
  );
  expect(await sampled(false, { temperature: 1.7, topK: 19 })).toMatchObject({ candidates: 19 });
  expect((await sampled(false, { temperature: 0 })).drawnBy).toBeUndefined();
});

test("the entropy of the whole row lies within the bounds, and the rest is what is not listed", () => {
  for (const spread of [0.5, 1, 3])
    for (const listed of [20, 64]) {
      const row = rowOf(8, spread);
      const { entropy } = new CpuLogits(row, workspace()).distribution;
      const { distribution } = new PartialLogits(
        listedOf(createTopTokenServer(listed), row),
        workspace(),
        fail,
      );
      const { partial } = distribution;
      expect(distribution.entropy).toBeLessThanOrEqual(entropy + 1e-4);
      expect(partial?.mostEntropy).toBeGreaterThanOrEqual(entropy - 1e-4);
      const top = Array.from(row).sort((a, b) => b - a);
      const rest = top.slice(listed).reduce((sum, logprob) => sum + Math.exp(logprob), 0);
      expect(partial?.rest).toBeCloseTo(rest, 4);
    }
});

test("a mask that no listed token passes asks for the tokens that it leaves", async () => {
  const row = rowOf(5, 2);
  const server = createTopTokenServer(20);
  const listed = listedOf(server, row);
  const part = new PartialLogits(listed, workspace(), fail);
  const unlikely = Array.from(row.keys()).filter((each) => !listed.tokens.includes(each));
  await part.edit({ only: unlikely.slice(0, 7) });
  expect(server.named).toBe(1);
  const best = unlikely.slice(0, 7).reduce((a, b) => ((row[b] as number) > (row[a] as number) ? b : a));
  const settings = settingsOf({ temperature: 0 });
  expect((await part.sample({ settings, history, draw: 0, isBoth: false })).token).toBe(best);
  expect(part.distributionAfter.partial).toBeUndefined();
});

test("a mod that replaces all logits gets the tokens of a whole row, and the server is asked nothing about them", async () => {
  const [row, replacement] = [rowOf(5, 2), rowOf(6, 2)];
  const server = createTopTokenServer(20);
  const part = new PartialLogits(listedOf(server, row), workspace(), fail);
  const whole = new CpuLogits(row, workspace());
  await part.edit({ ban: [3] });
  whole.edit({ ban: [3] });
  const askedBefore = { ...server };
  for (const edit of [replacement, { ban: [1, 2], add: { 700: 6 } }]) {
    await part.edit(edit);
    whole.edit(edit);
    expect(part.isEdited).toBe(true);
    expect(part.topK(9)).toEqual(whole.topK(9));
    expect(part.distributionAfter).toEqual(whole.distributionAfter);
    expect(part.distributionAfter.partial).toBeUndefined();
    for (const fields of [{ temperature: 0 }, { temperature: 1 }, { temperature: 1.4, topP: 0.8 }]) {
      const [settings, draw] = [settingsOf(fields), 0.618];
      const how = { settings, history, draw, isBoth: false };
      expect(await part.sample(how)).toEqual(whole.sample(how));
      expect(await part.choiceOf(9, settings, history)).toEqual(whole.choiceOf(9, settings, history));
      expect(await part.knownChoiceOf(9, settings, history)).toEqual(whole.choiceOf(9, settings, history));
    }
  }
  expect(server).toEqual(askedBefore);
  // The model's own logits are still there: the choice without mods, and the log-probability of a token.
  const how = { settings: settingsOf({ temperature: 0 }), history, draw: 0, isBoth: false };
  expect(await part.sampleUnedited(how)).toEqual(whole.sampleUnedited(how));
  const [found, expected] = [await part.logprobsOf(700), whole.logprobsOf(700)];
  expect(found.after).toBe(expected.after);
  expect(found.before).toBeCloseTo(expected.before, 4);
});

test("an array that leaves no token to sample is an invalid edit, and nothing changes", async () => {
  const part = new PartialLogits(listedOf(createTopTokenServer(20), rowOf(5, 2)), workspace(), fail);
  for (const value of [Number.NEGATIVE_INFINITY, Number.NaN]) {
    expect(await refusalOf(() => part.edit(new Float32Array(size).fill(value)))).toBe(true);
    expect(part.isEdited).toBe(false);
  }
});
