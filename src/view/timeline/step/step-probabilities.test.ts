import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import {
  banOfOne,
  createTraceBuilder,
  requestRecord,
  type TraceBuilder,
} from "../../../core/trace/testing/trace-builder.ts";
import { stepProbabilities } from "./step-probabilities.ts";
import { twoTokenProbabilities, twoTokenTopK } from "./testing/two-token-probabilities.ts";

const mods = ["one", "two", "three"].map((name) => ({ name, source: "" }));

function traceOf(calls: (builder: TraceBuilder) => void, isAdjusted = true) {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([{ token: 9, text: "x" }]);
  builder.forward(twoTokenProbabilities(0.8));
  calls(builder);
  if (isAdjusted) builder.adjust(twoTokenProbabilities(0.1), 0.5);
  builder.sample(
    { token: 2, text: " b" },
    { logprobBefore: Math.log(0.2), counterfactual: { token: 1, text: " a" } },
  );
  return builder;
}

const opened = (builder: TraceBuilder) => {
  const model = createTraceModel();
  model.append(builder.finish("length").records);
  return model;
};
const firstOf = (list: ReturnType<typeof stepProbabilities>) =>
  list?.stages.map((stage) => stage.probabilities?.list[0]?.probability.toFixed(2) ?? null);

test("each mod’s odds are what the next one read, and the last one’s what was recorded after all", () => {
  const builder = traceOf((each) => {
    each.call(0, "forwardPass", banOfOne);
    each.call(1, "forwardPass", { type: "noop" }, { given: twoTokenTopK(0.6) });
    each.call(1, "forwardPass", banOfOne);
    each.call(2, "forwardPass", banOfOne, { given: twoTokenTopK(0.4) });
  });
  builder.add([{ token: 2, text: " b" }], "sampled");
  const found = stepProbabilities(opened(builder), 0);
  expect(firstOf(found)).toEqual(["0.60", "0.40", "0.10"]);
  expect(found?.stages.map(({ modName }) => modName)).toEqual(["one", "two", "three"]);
  expect(found).toMatchObject({ temperature: 0.5, isForced: false, leftOut: 0 });
});

test("what nobody read between two edits is not in the record", () => {
  const builder = traceOf((each) => {
    each.call(0, "forwardPass", banOfOne);
    each.call(1, "forwardPass", banOfOne);
    each.call(2, "forwardPass", { type: "noop" }, { given: twoTokenTopK(0.3) });
  });
  builder.add([{ token: 2, text: " b" }], "sampled");
  expect(firstOf(stepProbabilities(opened(builder), 0))).toEqual([null, "0.10"]);
});

test("of very many edits the first ones and the last are shown", () => {
  const builder = traceOf((each) => {
    for (let call = 0; call < 500; call += 1) each.call(0, "forwardPass", banOfOne);
  });
  builder.add([{ token: 2, text: " b" }], "sampled");
  const found = stepProbabilities(opened(builder), 0);
  expect(found?.stages.length).toBeLessThan(10);
  expect((found?.stages.length ?? 0) + (found?.leftOut ?? 0)).toBe(500);
  expect(firstOf(found)?.at(-1)).toBe("0.10");
});

test("a token that was forced in place of the drawn one shows that draw; those behind it have none", () => {
  const builder = traceOf(() => {}, false);
  builder.call(0, "sampled", { type: "forceTokens", tokens: [5, 6], text: " cd", cut: 0 });
  builder.add(
    [
      { token: 5, text: " c" },
      { token: 6, text: "d" },
    ],
    "forced",
    { mod: 0 },
  );
  const trace = opened(builder);
  expect(stepProbabilities(trace, 0)).toMatchObject({
    isForced: true,
    stages: [],
    sampled: { token: 2 },
    temperature: 1,
  });
  expect(stepProbabilities(trace, 1)).toBeNull();
});

test("the token that was drawn is among the odds, also where it is not among the most likely", () => {
  const trace = createTraceModel();
  trace.append(sampleTrace().records);
  let seen = 0;
  trace.tokens.text.forEach((_text, index) => {
    const found = stepProbabilities(trace, index);
    if (!found?.sampled) return;
    seen += 1;
    const last = found.stages.length === 0 ? found.model : found.stages.at(-1)?.probabilities;
    expect(last?.list.some(({ token }) => token === found.sampled?.token)).toBe(true);
  });
  expect(seen).toBeGreaterThan(100);
});

test("a record without probabilities has no odds", () => {
  const trace = createTraceModel(["probabilities"]);
  trace.append(sampleTrace().records);
  expect(stepProbabilities(trace, 3)).toBeNull();
});
