/** "Try without mods" ends with both texts side by side, and both are texts of the experiment. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { repeatableResultOf } from "../../experiments/outcome.ts";
import { compareWithAndWithout } from "./show-both.ts";

function traceOf(text: string) {
  const builder = createTraceBuilder();
  builder.sample({ token: 1, text }, {});
  builder.add([{ token: 1, text }], "sampled");
  const trace = createTraceModel();
  trace.append(builder.finish("stop", { text }).records);
  return trace;
}

function failedTrace() {
  const trace = createTraceModel();
  const error = { code: "mod_failed", message: "swap-name took longer than 50 ms.", mod: 0 } as const;
  trace.append(createTraceBuilder().finish("error", { error }).records);
  return trace;
}

const page = traceOf("Lily");

function stores(status: string, shown: string, numbers: readonly number[], withMods = page) {
  const compared: string[] = [];
  const result = repeatableResultOf(withMods, []);
  const outcomes = numbers.map((number) => ({ number, runId: `run ${number}`, result }));
  const parts = {
    run: { getState: () => ({ id: shown, status, trace: page }) },
    runs: { experiments: { outcomes: async () => outcomes } },
    compare: { getState: () => ({ compareWith: async (id: string) => void compared.push(id) }) },
  };
  return { parts: parts as never, compared };
}

async function shownAndCompared(made: ReturnType<typeof stores>, isShown: boolean) {
  const opened: string[] = [];
  await compareWithAndWithout(made.parts, "experiment", "shown", isShown, async (run) => {
    opened.push(run);
    return true;
  });
  return { opened, compared: made.compared };
}

test.each([
  ["the run on the page beside the run without mods", "finished", "shown", [1, 0], true, [], ["run 0"]],
  ["both runs of a mod's menu", "finished", "shown", [0, 1], false, ["run 1"], ["run 0"]],
  ["nothing if another run was opened meanwhile", "finished", "another", [0, 1], true, [], []],
  ["nothing while a run goes on", "running", "shown", [0, 1], true, [], []],
  ["nothing if the experiment was stopped", "finished", "shown", [0], true, [], []],
] as const)("%s", async (_what, status, shown, numbers, isShown, opened, compared) => {
  const made = stores(status, shown, numbers);
  expect(await shownAndCompared(made, isShown)).toEqual({ opened, compared });
});

test.each([
  ["failed", failedTrace()],
  ["wrote another text", traceOf("Max")],
])("the experiment's run with mods, if it %s, and not the run on the page", async (_what, withMods) => {
  const made = stores("finished", "shown", [0, 1], withMods);
  expect(await shownAndCompared(made, true)).toEqual({ opened: ["run 1"], compared: ["run 0"] });
});
