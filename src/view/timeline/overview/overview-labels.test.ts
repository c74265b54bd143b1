import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { describeOverview } from "./overview-labels.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const count = trace.tokens.text.length;

test("all of a run: how surprising, and what mods did", () => {
  const words = describeOverview(trace, { first: 0, end: count });
  expect(words).toMatch(new RegExp(`^All ${count} tokens\\. Surprisal \\d+\\.\\d bits on average; highest `));
  expect(words).toMatch(
    / Tokens that mods changed: \d+ forced, \d+ adjusted, \d+ removed, \d+ replacements?\.$/,
  );
});

test("the token that is named is the most surprising one of the part in view", () => {
  const range = { first: 10, end: 60 };
  const words = describeOverview(trace, range);
  expect(words).toMatch(new RegExp(`^Tokens 11 to 60 of ${count} are in view\\. `));
  const [, named] = /at token (\d+) of/.exec(words) ?? [];
  const logprobs = trace.tokens.logprobBefore.slice(10, 60).filter((each) => !Number.isNaN(each));
  expect(trace.tokens.logprobBefore[Number(named) - 1]).toBe(Math.min(...logprobs));
});

test("a part that no mod changed, no tokens, no probabilities", () => {
  const plain = trace.tokens.kind.findIndex(
    (kind, index) => kind === "sampled" && (trace.tokens.removedBy[index] ?? -1) < 0,
  );
  expect(describeOverview(trace, { first: plain, end: plain + 1 })).toMatch(/No mod changed a word here\.$/);
  expect(describeOverview(createTraceModel(), { first: 0, end: 0 })).toBe("No tokens yet.");
  const without = createTraceModel(["probabilities"]);
  without.append(sampleTrace().records);
  expect(describeOverview(without, { first: 0, end: 5 })).toContain("The probabilities were not saved.");
});
