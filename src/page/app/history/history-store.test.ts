/** The list of runs: the user's own, and on request or by a search the runs of experiments. */
import "fake-indexeddb/auto";
import { expect, test, vi } from "vitest";
import { sampleOutcome, twoByTwo } from "../../experiments/testing/small-experiment.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runWith } from "../../runs/testing/some-runs.ts";
import { createHistoryStore, matchingRuns } from "./history-store.ts";

test("runs of experiments are listed on request, found by their texts, and follow changes", async () => {
  const repository = createRunRepository("test.history-store");
  const saved = { experiment: twoByTwo, made: 0, recorded: false, removedAt: null };
  await repository.save(runWith("own", { output: "It was dry." }, { when: 5_000 }));
  await repository.experiments.add({ ...saved, id: "a", when: 1 });
  await repository.experiments.addOutcome("a", sampleOutcome(0), runWith("run-0", { output: "It rained." }));

  const history = createHistoryStore(repository);
  const listed = () => matchingRuns(history.getState()).map(({ id }) => id);
  const leave = history.getState().follow();
  await vi.waitFor(() => expect(listed()).toEqual(["own"]));
  const { all } = history.getState();
  history.getState().setWithExperiments(true);
  // Both lists are joined when they are read, not at each look.
  expect(history.getState().all).toBe(all);
  expect(listed()).toEqual(["own", "run-0"]);
  history.getState().setWithExperiments(false);
  history.getState().setQuery("rained");
  await vi.waitFor(() => expect(listed()).toEqual(["run-0"]));
  expect(matchingRuns(history.getState())[0]).toMatchObject({ experiment: twoByTwo.name });

  await repository.experiments.remove("a");
  await vi.waitFor(() => expect(listed()).toEqual([]));
  history.getState().setQuery("");
  expect(listed()).toEqual(["own"]);
  leave();
  repository.close();
});
