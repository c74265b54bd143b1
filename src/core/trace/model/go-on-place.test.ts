import { describe, expect, test } from "vitest";
import type { TraceDistribution } from "../format/format.ts";
import { createTraceBuilder, fault } from "../testing/trace-builder.ts";
import { continuationPlace } from "./go-on-place.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";

const word = (text: string, token = 7) => ({ text, token });
const distribution: TraceDistribution = { entropy: 1, top: [{ ...word(" a"), logprob: -1 }] };
const forced = (text: string, count: number) => ({
  type: "forceTokens" as const,
  tokens: Array.from({ length: count }, () => 7),
  text,
  cut: 0,
});

/** A record per line, with a name for its place. The request comes first. */
const story: readonly (readonly [
  name: string,
  write: (builder: ReturnType<typeof createTraceBuilder>) => void,
])[] = [
  ["prompt", (run) => run.prefill([word("One")])],
  ["pass 0", (run) => run.forward(distribution)],
  ["draw 0", (run) => run.sample(word(" was"), {})],
  ["was", (run) => run.add([word(" was")], "sampled")],
  ["call", (run) => run.call(0, "added", forced(" a big", 2))],
  ["a big", (run) => run.add([word(" a"), word(" big")], "forced", { mod: 0 })],
  ["call", (run) => run.call(0, "added", { type: "noop" })],
  ["pass 3", (run) => run.forward(distribution, 2)],
  ["call", (run) => run.call(0, "forwardPass", { type: "noop" })],
  ["draw 3", (run) => run.sample(word(" dog"), {})],
  ["dog", (run) => run.add([word(" dog")], "sampled")],
  ["call", (run) => run.call(0, "added", { type: "backtrack", count: 1, tokens: [7], text: " cat", cut: 0 })],
  ["- dog", (run) => run.backtrack(0, 1, 1)],
  ["call", (run) => run.call(0, "backtracked", { type: "noop" })],
  ["cat", (run) => run.add([word(" cat")], "reinjected", { mod: 0 })],
  ["call", (run) => run.call(0, "added", { type: "noop" })],
];

function modelOf(records: number): TraceModel {
  const builder = createTraceBuilder();
  for (const [, write] of story.slice(0, records - 1)) write(builder);
  const trace = createTraceModel();
  trace.append(builder.records);
  return trace;
}

const place = (name: string) => story.findIndex((each) => each[0] === name) + 1;

test.each([
  [0, "its pass", { at: place("pass 0"), kept: 0 }],
  [1, "the event at which it was forced", { at: place("was") + 1, kept: 0 }],
  [2, "among the forced tokens", { at: place("a big"), kept: 1 }],
  [3, "its pass, though it was taken back", { at: place("pass 3"), kept: 0 }],
  [4, "the pass of the token in whose place it came", { at: place("pass 3"), kept: 0 }],
])("from token %i it goes on at %s", (index, _, expected) => {
  expect(continuationPlace(modelOf(story.length + 1), index, false)).toEqual(expected);
});

describe("where the run stands, its last record being", () => {
  test.each([
    ["prompt", 1],
    ["pass 0", place("pass 0")],
    ["draw 0", place("pass 0")],
    ["was", place("was") + 1],
    ["a big", place("a big") + 1],
    ["draw 3", place("pass 3")],
    ["dog", place("dog") + 1],
    // Only half of a change is recorded, so the mods are asked again.
    ["- dog", place("dog") + 1],
    ["cat", place("cat") + 1],
  ])("%s", (name, at) => {
    expect(continuationPlace(modelOf(place(name) + 1), null, false)).toEqual({ at, kept: 0 });
  });

  test("between two steps, behind all of it", () => {
    const trace = modelOf(story.length + 1);
    expect(continuationPlace(trace, null, true)).toEqual({ at: trace.records.length, kept: 0 });
  });

  test("the end of a run, before its last words", () => {
    const builder = createTraceBuilder();
    for (const [, write] of story.slice(0, place("was"))) write(builder);
    builder.call(0, "added", { type: "noop" }, { fault: fault("threw", "no") });
    builder.call(0, "finished", { type: "noop" });
    const trace = createTraceModel();
    trace.append(builder.finish("error").records);
    expect(continuationPlace(trace, null, false)).toEqual({ at: place("was") + 1, kept: 0 });
    expect(continuationPlace(trace, null, true)).toEqual({ at: place("was") + 2, kept: 0 });
  });
});
