/** The text that the model had read at each token, compared with an output that follows the records one by one. */
import { expect, test } from "vitest";
import { sampleTrace } from "../testing/sample-trace.ts";
import { createTraceBuilder } from "../testing/trace-builder.ts";
import { contextBeforeToken, outputIndicesBefore } from "./text-at-step.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";

function modelOf(
  records: TraceModel["records"],
  leftOut: Parameters<typeof createTraceModel>[0] = [],
): TraceModel {
  const model = createTraceModel(leftOut);
  model.append(records);
  return model;
}

test("at every token of a run with removals: the output as the records had it then", () => {
  const trace = modelOf(sampleTrace().records);
  const output: number[] = [];
  let removals = 0;
  for (const record of trace.records) {
    if (record.type === "backtracked") {
      output.length -= record.removed.length;
      removals += 1;
    }
    if (record.type !== "added") continue;
    for (let offset = 0; offset < record.tokens.length; offset += 1) {
      expect(outputIndicesBefore(trace, record.index + offset)).toEqual(output);
      output.push(record.index + offset);
    }
  }
  expect(removals).toBeGreaterThan(1);
});

const id = (token: number) => ({ token, text: `t${token}` });

/** 1 2 | 10 11, of which 11 is removed and 12 13 stand in its place, then 14. */
function run() {
  const builder = createTraceBuilder();
  builder.prefill([id(1), id(2)]);
  for (const token of [10, 11]) builder.add([id(token)], "sampled");
  builder.backtrack(0, 1, 2);
  builder.add([id(12), id(13)], "reinjected");
  builder.add([id(14)], "sampled");
  return builder.finish("length").records;
}

test.each<[number, number, readonly number[]]>([
  [0, 10, [1, 2]],
  [1, 11, [1, 2, 10]],
  [2, 12, [1, 2, 10]],
  [3, 13, [1, 2, 10, 12]],
  [4, 14, [1, 2, 10, 12, 13]],
])("token %i came as %i after %j", (index, came, tokens) => {
  expect(contextBeforeToken(modelOf(run()), index)).toEqual({ tokens, promptLength: 2, came });
});

test("what is not in the record is named", () => {
  expect(contextBeforeToken(modelOf(run(), ["tokenIds"]), 0)).toBe("idsLeftOut");
  expect(contextBeforeToken(modelOf(run(), ["prompt"]), 0)).toBe("promptLeftOut");
  expect(contextBeforeToken(modelOf(run()), 5)).toBe("idsLeftOut");
  expect(contextBeforeToken(modelOf([]), 0)).toBe("notPrefilled");
  const builder = createTraceBuilder();
  builder.prefill([id(1), { token: -1, text: "?" }]);
  builder.add([id(3)], "sampled");
  expect(contextBeforeToken(modelOf(builder.finish("length").records), 0)).toBe("idsLeftOut");
});
