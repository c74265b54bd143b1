/** Top-k as mods read it: files contain all of it, the parser bounds it, and links leave it out. */
import { describe, expect, test } from "vitest";
import { decodeTraceFile, encodeTrace } from "./codec/codec.ts";
import { decodePermalink, encodePermalink } from "./file/permalink.ts";
import type { Trace, TraceTopK } from "./format/format.ts";
import { traceLimits } from "./format/limits.ts";
import { parseTrace } from "./parse/parse.ts";
import { createTraceBuilder, requestRecord } from "./testing/trace-builder.ts";

const list = (length: number, logprob = (place: number) => Math.fround(-(place + 1) / 7)): TraceTopK => ({
  asked: 64,
  tokens: Array.from({ length }, (_, place) => place),
  logprobs: Array.from({ length }, (_, place) => logprob(place)),
});

const token = { token: 97, text: "a" };

function traceWith(topK: TraceTopK | null, passes = 1, given: TraceTopK | null = null): Trace {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "reads", source: "" }] }));
  builder.prefill([token]);
  for (let pass = 0; pass < passes; pass += 1) {
    builder.forward({ entropy: 1, top: [] }, 1, topK);
    builder.call(0, "forwardPass", { type: "noop" }, { given });
    builder.add([token], "sampled");
  }
  return builder.finish("length");
}

const written = (trace: Trace) => decodeTraceFile(encodeTrace({ trace, notes: [] }).bytes).trace;
const full = traceLimits.topKEntries / traceLimits.topK;

test.each<[string, Trace]>([
  ["nothing, where fewer tokens are possible than were asked for", traceWith(list(3))],
  ["64 tokens of a step", traceWith(list(64), 3, list(64))],
  ["numbers of every size", traceWith(list(40, (place) => Math.fround(-(1.7 ** place) * 1e-9)))],
])("a file holds %s", (_, trace) => {
  expect(written(trace)).toEqual(trace);
  expect(parseTrace(JSON.parse(JSON.stringify(trace)))).toEqual(trace);
});

describe("refused, from a file and as JSON", () => {
  test.each<[string, Trace, RegExp, RegExp]>([
    ["65 tokens of a step", traceWith(list(65)), /the limit is 64 per step/, /the limit is 64/],
    [
      "a step more than a trace may have",
      traceWith(list(64), full + 1),
      /the limit is 64 per step and 524288 per run/,
      /records\[\d+\] brings the run's top-k tokens above the limit of 524288/,
    ],
  ])("%s", (_, trace, fromFile, fromJson) => {
    expect(() => written(trace)).toThrow(fromFile);
    expect(() => parseTrace(trace)).toThrow(fromJson);
  });

  test.each<[string, TraceTopK, RegExp]>([
    [
      "numbers that are no float32",
      list(2, () => -0.1),
      /likeliest\.logprobs\[0\] should be a float32 number/,
    ],
    ["columns of two lengths", { ...list(2), tokens: [1] }, /likeliest should be as many tokens/],
  ])("%s", (_, topK, message) => {
    expect(() => parseTrace(traceWith(topK))).toThrow(message);
  });
});

test("a link leaves it out, and says so; a link of a run without any does not", () => {
  const { fragment, notes } = encodePermalink(traceWith(list(64), 2, list(9)));
  expect(notes).toContain("given");
  const opened = decodePermalink(fragment);
  expect(opened.notes).toContain("given");
  for (const record of opened.trace.records) {
    if (record.type === "forwardPass") expect(record.likeliest).toBeNull();
    if (record.type === "modCall") expect(record.given).toBeNull();
  }
  expect(encodePermalink(traceWith(null)).notes).not.toContain("given");
});
