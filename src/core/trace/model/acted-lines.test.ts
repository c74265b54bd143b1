import { expect, test } from "vitest";
import type { TraceAction } from "../format/format.ts";
import { createTraceBuilder, fault, requestRecord } from "../testing/trace-builder.ts";
import { actionTokensByLine, nextActedToken } from "./acted-lines.ts";
import { createTraceModel } from "./trace-model.ts";

const distribution = { entropy: 1, top: [] };
const force: TraceAction = { type: "forceTokens", tokens: [5], text: " Max", cut: 0 };

/** Two mods: the first forces at line 7 twice and fails at line 9, the second forces once at a line that is not known. */
function records() {
  const mods = ["first", "second"].map((name) => ({ name, source: "" }));
  const run = createTraceBuilder(requestRecord({ mods }));
  run.prefill([{ token: 1, text: "Once" }]);
  for (const [mod, line] of [
    [0, 7],
    [1, null],
    [0, 7],
  ] as const) {
    run.forward(distribution);
    run.call(mod, "forwardPass", force, { line });
    run.add([{ token: 5, text: " Max" }], "forced", { mod });
    run.call(0, "added");
  }
  run.call(0, "added", { type: "noop" }, { fault: fault("threw", "no", 9), line: 3 });
  run.finish("stop");
  return run.records;
}

test("each line has the tokens at which it acted; what answered nothing is not counted", () => {
  const model = createTraceModel();
  model.append(records());
  expect([...actionTokensByLine(model, 0)]).toEqual([
    [7, [0, 2]],
    [9, [3]],
  ]);
  expect([...actionTokensByLine(model, 1)]).toEqual([]);
  expect([...actionTokensByLine(model, 2)]).toEqual([]);
});

test("what comes later is counted with what was counted before", () => {
  const all = records();
  const whole = createTraceModel();
  whole.append(all);
  const growing = createTraceModel();
  for (const record of all) {
    growing.append([record]);
    actionTokensByLine(growing, 0);
  }
  expect(actionTokensByLine(growing, 0)).toEqual(actionTokensByLine(whole, 0));
});

test.each([
  [[2, 5, 9], null, 20, 2],
  [[2, 5, 9], 2, 20, 5],
  [[2, 5, 9], 9, 20, 2],
  [[2, 5, 9], 3, 20, 5],
  [[2, 5, 9], 5, 9, 2],
  [[9], null, 9, null],
  [[], 3, 9, null],
])("of %j after %s, of %i tokens, the next is %s", (tokens, cursor, count, next) => {
  expect(nextActedToken(tokens, cursor, count)).toBe(next);
});
