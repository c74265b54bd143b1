import { expect, test } from "vitest";
import { outputBefore } from "./output-before.ts";
import { createTraceBuilder } from "./testing/trace-builder.ts";
import { createTraceModel } from "./trace-model.ts";

const token = (id: number) => ({ token: id, text: ` ${id}` });

/** 10, 11, 12 are written; 11 and 12 are taken back, 20 and 21 put there; 30 is hidden and taken out; 40 is written. */
function run(ids = (id: number) => id) {
  const made = createTraceBuilder();
  made.prefill([token(1)]);
  for (const id of [10, 11, 12]) made.add([token(ids(id))], "sampled");
  made.backtrack(0, 2, 2);
  made.add([token(ids(20)), token(ids(21))], "reinjected");
  made.add([token(ids(30))], "forced", { hidden: true });
  made.backtrack(0, 1, 0);
  made.add([token(ids(40))], "sampled");
  const model = createTraceModel();
  model.append(made.records);
  return model;
}

test.each<[number | null, number[]]>([
  [0, []],
  [1, [10]],
  [2, [10, 11]],
  [3, [10]],
  [4, [10, 20]],
  [5, [10, 20, 21]],
  [6, [10, 20, 21]],
  [null, [10, 20, 21, 40]],
])("before token %s the output is %j", (index, output) => {
  expect(outputBefore(run(), index)).toEqual(output);
});

test("where a link left out which tokens they were, nothing is made up", () => {
  expect(
    outputBefore(
      run(() => -1),
      null,
    ),
  ).toBeNull();
  expect(
    outputBefore(
      run((id) => (id === 40 ? -1 : id)),
      6,
    ),
  ).toEqual([10, 20, 21]);
});
