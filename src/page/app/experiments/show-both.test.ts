/** "With and without" of one seed ends with both texts side by side. */
import { expect, test } from "vitest";
import { showBoth } from "./show-both.ts";

function stores(status: string, shown: string, numbers: readonly number[]) {
  const compared: string[] = [];
  const parts = {
    run: { getState: () => ({ id: shown, status }) },
    runs: {
      experiments: { outcomes: async () => numbers.map((number) => ({ number, runId: `run ${number}` })) },
    },
    compare: { getState: () => ({ compareWith: async (id: string) => void compared.push(id) }) },
  };
  return { parts: parts as never, compared };
}

test.each([
  ["the run on the page beside the run without mods", "finished", "shown", [1, 0], true, [], ["run 0"]],
  ["both runs of a mod's menu", "finished", "shown", [0, 1], false, ["run 1"], ["run 0"]],
  ["nothing if another run was opened meanwhile", "finished", "another", [0, 1], true, [], []],
  ["nothing while a run goes on", "running", "shown", [0, 1], true, [], []],
  ["nothing if the experiment was stopped", "finished", "shown", [0], true, [], []],
] as const)("%s", async (_what, status, shown, numbers, isShown, openedRuns, comparedRuns) => {
  const { parts, compared } = stores(status, shown, numbers);
  const opened: string[] = [];
  await showBoth(parts, "experiment", "shown", isShown, async (run) => {
    opened.push(run);
    return true;
  });
  expect(opened).toEqual(openedRuns);
  expect(compared).toEqual(comparedRuns);
});
