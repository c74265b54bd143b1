import { expect, test } from "vitest";
import { sampleTrace } from "../testing/sample-trace.ts";
import { binTokenKinds, chartColumns, chartMetrics } from "./chart-columns.ts";
import { timeByPart } from "./time-by-part.ts";
import { timeOfRange } from "./token-times.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";

function modelOf(tokens: number, leftOut: Parameters<typeof createTraceModel>[0] = []): TraceModel {
  const trace = createTraceModel(leftOut);
  trace.append(sampleTrace({ tokens }).records);
  return trace;
}

test.each([
  [0, 40],
  [1, 40],
  [30, 40],
  [300, 40],
])("the columns of %i tokens follow one another and hold each once, in at most %i", (tokens, most) => {
  const trace = modelOf(tokens);
  const count = trace.tokens.text.length;
  const columns = chartColumns(trace, most);
  expect(columns.length).toBe(Math.min(count, most));
  let next = 0;
  for (const { first, end } of columns) {
    expect(first).toBe(next);
    expect(end).toBeGreaterThan(first);
    next = end;
  }
  expect(next).toBe(count);
});

test("figures of a range are those of its tokens, as every other view sums them", () => {
  const trace = modelOf(300);
  const range = { first: 50, end: 250 };
  const figures = chartMetrics(trace, range);
  const known = trace.tokens.logprobBefore.slice(50, 250).filter((logprob) => !Number.isNaN(logprob));
  expect(figures.probability).toBeCloseTo(
    known.reduce((sum, logprob) => sum + Math.exp(logprob), 0) / known.length,
    12,
  );
  const parts = new Map(timeByPart(trace, range).map(({ part, totalUs }) => [JSON.stringify(part), totalUs]));
  expect(figures.passesMs).toBeCloseTo((parts.get('"passes"') ?? Number.NaN) / 1000 / 200, 12);
  expect(figures.samplingMs).toBeCloseTo((parts.get('"sampling"') ?? Number.NaN) / 1000 / 200, 12);
  expect(figures.modsMs[0]).toBeCloseTo((parts.get('{"mod":0}') ?? Number.NaN) / 1000 / 200, 12);
  const { fromUs, toUs } = timeOfRange(trace, range);
  expect(figures.tokensPerSecond).toBeCloseTo(200e6 / (toUs - fromUs), 9);
  expect(Object.values(figures.kinds).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  const removed = trace.tokens.removedBy.slice(50, 250).filter((span) => span >= 0).length;
  expect(figures.kinds.removed).toBeCloseTo(removed / 200, 12);
  expect(figures.kinds.forced).toBeGreaterThan(0);
});

test("reading the prompt is no time of a step, and the first token alone has no rate", () => {
  const figures = chartMetrics(modelOf(20), { first: 0, end: 1 });
  expect(figures.passesMs).toBeNull();
  expect(figures.tokensPerSecond).toBeNull();
  expect(figures.samplingMs).toBeGreaterThan(0);
});

test("what a record left out is null, not zero", () => {
  const figures = chartMetrics(modelOf(60, ["timings", "probabilities"]), { first: 0, end: 60 });
  expect(figures).toMatchObject({
    probability: null,
    entropy: null,
    passesMs: null,
    samplingMs: null,
    tokensPerSecond: null,
  });
  expect(figures.modsMs.every((ms) => ms === null)).toBe(true);
});

test("the histogram has at most 32 bars, and every token of a kind in one of them", () => {
  const trace = modelOf(300);
  const columns = chartColumns(trace, 160);
  const bins = binTokenKinds(columns);
  expect(bins.length).toBeLessThanOrEqual(32);
  expect(bins.map(({ first }) => first).slice(1)).toEqual(bins.map(({ end }) => end).slice(0, -1));
  const removed = bins.reduce((sum, { tokens }) => sum + tokens.removed, 0);
  const expected = trace.tokens.removedBy.filter((span) => span !== -1).length;
  expect(Math.abs(removed - expected)).toBeLessThan(1);
});

test("where a server listed only some tokens, the entropy has a least and a most; elsewhere there is no most", () => {
  const records = sampleTrace({ tokens: 40 }).records;
  const whole = createTraceModel();
  whole.append(records);
  const range = { first: 0, end: whole.tokens.text.length };
  expect(chartMetrics(whole, range).mostEntropy).toBeNull();
  const listed = createTraceModel();
  listed.append(
    records.map((record) =>
      record.type === "forwardPass" && record.before
        ? {
            ...record,
            before: { ...record.before, partial: { rest: 0.1, mostEntropy: record.before.entropy + 1 } },
          }
        : record,
    ),
  );
  const { entropy, mostEntropy } = chartMetrics(listed, range);
  expect(entropy).toBeCloseTo(chartMetrics(whole, range).entropy ?? Number.NaN, 12);
  expect(mostEntropy).toBeGreaterThan(entropy ?? Number.POSITIVE_INFINITY);
  expect(mostEntropy).toBeLessThanOrEqual((entropy ?? 0) + 1);
});
