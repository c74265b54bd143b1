import { expect, test } from "vitest";
import type { TraceDistribution } from "../format/format.ts";
import { createTraceBuilder } from "../testing/trace-builder.ts";
import { branchPlace } from "./branch-place.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";

const word = (text: string, token = 7) => ({ text, token });
const distribution: TraceDistribution = { entropy: 1, top: [{ ...word(" a"), logprob: -1 }] };

/**
 * "One (a prompt of two passes) | was Tom → was Lily and": tokens 0 and 1 are removed; then 2 and 3 are added together, then
 * 4.
 */
function model(lastId = 7): TraceModel {
  const builder = createTraceBuilder();
  builder.prefill([word("One")]);
  builder.forward(null);
  builder.forward(distribution);
  for (const text of [" was", " Tom"]) {
    if (text === " Tom") builder.forward(distribution);
    builder.sample(word(text), {});
    builder.add([word(text)], "sampled");
  }
  builder.call(0, "added", { type: "backtrack", count: 1, tokens: [7, 7], text: " Lily and", cut: 0 });
  builder.backtrack(0, 1, 2);
  builder.add([word(" Lily"), word(" and")], "reinjected", { mod: 0 });
  builder.forward(distribution, 2);
  builder.sample(word(" he", lastId), {});
  builder.add([word(" he", lastId)], "sampled");
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test.each([
  [0, "the prompt's last pass", "forwardPass", { at: 3, kept: 0 }],
  [1, "its own pass", "forwardPass", { at: 6, kept: 0 }],
  [2, "the pass of the token in whose place it came", "forwardPass", { at: 6, kept: 0 }],
  [3, "among the forced tokens", "added", { at: 11, kept: 1 }],
  [4, "its own pass", "forwardPass", { at: 12, kept: 0 }],
  [5, "no place: there is no such token", null, null],
])("token %i branches off at %s", (index, _, type, expected) => {
  const trace = model();
  expect(branchPlace(trace, index)).toEqual(expected);
  if (expected) expect(trace.records[expected.at]).toMatchObject({ type });
});

test("a record that does not say which tokens they were has no branches", () => {
  expect(branchPlace(model(-1), 0)).toBeNull();
});
