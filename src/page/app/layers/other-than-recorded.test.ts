/** That the last layer says what the record has is checked, and said where it does not. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { recordedDifferenceSentence } from "./other-than-recorded.ts";

function run(logprobBefore: number, leftOut: Parameters<typeof createTraceModel>[0] = []) {
  const builder = createTraceBuilder();
  builder.prefill([{ token: 1, text: "a" }]);
  builder.forward({ entropy: 1, top: [] });
  builder.sample({ token: 2, text: "b" }, { logprobBefore });
  builder.add([{ token: 2, text: "b" }], "sampled");
  const trace = createTraceModel(leftOut);
  trace.append(builder.finish("length").records);
  return trace;
}

const lines = (logprob: number | null) => [
  { layer: 0, entropy: 1, top: [], token: logprob === null ? null : { rank: 0, logprob } },
];

test.each<[string, ReturnType<typeof run>, number | null, string | null]>([
  ["the same", run(-1), -1, null],
  ["rounded", run(-1), -1.04, null],
  ["not asked about", run(-1), null, null],
  ["not in the record", run(-1, ["probabilities"]), -3, null],
  [
    "another",
    run(Math.log(0.5)),
    Math.log(0.25),
    "In the recorded run, this token had a probability of 50%; the last layer now gives 25%. The model was loaded with different weights, or runs on a different device.",
  ],
])("%s", (_what, trace, read, expected) => {
  expect(recordedDifferenceSentence(trace, 0, lines(read))).toBe(expected);
});
