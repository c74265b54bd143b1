/** The metrics of two runs: sums over a recorded story, probabilities of tokens, and settings that differ. */
import { expect, test } from "vitest";
import type { FieldsOf } from "../../base/request-fields.ts";
import { runToEnd } from "../../base/resumable-work.ts";
import { defaultSampling } from "../../base/sampling.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";
import { modelWithQuestions } from "../testing/question-trace.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { comparing } from "./compare.ts";
import {
  countSharedTokens,
  modsThatDiffer,
  runMetrics,
  settingsThatDiffer,
  sumLogprobsOfPlaces,
} from "./compare-metrics.ts";

/** Tokens with their surprisal in bits; null if unknown, as for a forced token that no pass has read. */
function runOf(
  tokens: readonly (readonly [text: string, bits: number | null])[],
  request: Partial<RequestRecord> = {},
): TraceModel {
  const builder = createTraceBuilder(requestRecord(request));
  tokens.forEach(([text, bits], place) => {
    const token = { token: place, text };
    if (bits === null) {
      builder.call(0, "sampled", { type: "forceTokens", tokens: [place], text, cut: 0 });
      builder.add([token], "forced");
    } else {
      builder.sample(token, { logprobBefore: -bits * Math.LN2 });
      builder.add([token], "sampled");
    }
  });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test("sums of a run", () => {
  const run = runOf([
    ["a", 1],
    ["b", null],
    ["c", 2.5],
  ]);
  const figures = runMetrics(run);
  expect(figures).toMatchObject({
    tokens: 3,
    removed: 0,
    scored: 2,
    interventions: 1,
    finishReason: "length",
  });
  expect(figures.surprisal).toBeCloseTo(3.5);
  expect(figures.timeUs).toBe((run.finished?.prefillUs ?? 0) + (run.finished?.decodeUs ?? 0));
});

test("what a link left out is not known, rather than nothing", () => {
  const { records } = runOf([["a", 1]]);
  const bare = createTraceModel(["probabilities", "timings"]);
  bare.append(records);
  expect(runMetrics(bare)).toMatchObject({ surprisal: null, scored: 0, timeUs: null });
});

test("odds of the same text in other pieces are those of its pieces together", () => {
  const left = runOf([
    ["Ma", 1],
    ["x", 2],
    ["!", null],
  ]);
  const right = runOf([["Max", 2]], { model: { ...requestRecord().model, id: "another" } });
  const comparison = runToEnd(comparing(left, right));
  const [spelled] = comparison.segments;
  expect(spelled?.kind).toBe("respelled");
  const bits = (side: "left" | "right", model: TraceModel, range = spelled?.[side]) =>
    range && (sumLogprobsOfPlaces(model, comparison, side, range) ?? Number.NaN) / -Math.LN2;
  expect(bits("left", left)).toBeCloseTo(3);
  expect(bits("right", right)).toBeCloseTo(2);
  expect(bits("left", left, { first: 2, end: 3 })).toBeNaN();
  expect(bits("left", left, { first: 1, end: 1 })).toBeNaN();
  expect(countSharedTokens(comparison)).toEqual({
    differences: 1,
    same: { left: 2, right: 1 },
    own: { left: 1, right: 0 },
  });
});

test("only settings that differ are told, by their names", () => {
  const one = requestRecord({ seed: 1, mods: [{ name: "a", source: "old" }] });
  const other = requestRecord({
    seed: 2,
    sampling: { ...one.sampling, temperature: 0.3 },
    mods: [{ name: "a", source: "new" }],
  });
  expect(settingsThatDiffer(one, one)).toEqual([]);
  expect(settingsThatDiffer(one, other)).toEqual([
    { name: "Seed", left: "1", right: "2" },
    { name: "Temperature", left: String(one.sampling.temperature), right: "0.3" },
  ]);
  expect(settingsThatDiffer(null, other)).toBeNull();
  expect(modsThatDiffer(one, other)).toEqual(["a"]);
  expect(modsThatDiffer(one, one)).toEqual([]);
});

/** Another value for each field of a recorded request. */
const otherValues: Readonly<Record<FieldsOf<"trace">, Partial<RequestRecord>>> = {
  thinking: { thinking: false },
  rawPrompt: { rawPrompt: true },
  parseSpecial: { parseSpecial: true },
  heal: { heal: false },
  tools: { tools: ['{"type":"function","function":{"name":"feed"}}'] },
  toolChoice: { toolChoice: "none" },
  parallelToolCalls: { parallelToolCalls: false },
  responseFormat: { responseFormat: '{"type":"json_object"}' },
  sampling: { sampling: { ...defaultSampling, topK: 7 } },
  maxTokens: { maxTokens: 3 },
  stop: { stop: ["x"] },
  seed: { seed: 99 },
  onModError: { onModError: "continue" },
  budget: { budget: 5 },
  deadlines: { deadlines: { load: 1, prefilled: 2, event: 3 } },
};

test.each(Object.entries(otherValues))("two runs that differ in %s show one row", (_, changes) => {
  const deadlines = { load: 1, prefilled: 2, event: 4 };
  const same = { sampling: defaultSampling, deadlines };
  const rows = settingsThatDiffer(requestRecord(same), requestRecord({ ...same, ...changes }));
  expect(rows).toHaveLength(1);
});

test("a run without mods, which records no deadlines, does not differ in them", () => {
  const recorded = requestRecord({ deadlines: { load: 1, prefilled: 2, event: 3 } });
  expect(settingsThatDiffer(recorded, requestRecord({ deadlines: null }))).toEqual([]);
});

test("tokens of hidden questions are not counted as removed", () => {
  expect(runMetrics(modelWithQuestions())).toMatchObject({ removed: 1, asked: 6 });
});
