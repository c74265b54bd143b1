/** Saved experiments: a part of the suite in `repository.conformance.ts`. */
import { outcomeOf, twoByTwo } from "../experiments/testing/small-experiment.ts";
import { connectToRuns } from "./connection.ts";
import { createRunRepository } from "./repository.ts";
import { migrations, type SavedExperiment } from "./schema.ts";
import { type Check, same } from "./testing/checks.ts";
import { runWith } from "./testing/some-runs.ts";

const kept = (id: string, when = 1): SavedExperiment => ({
  id,
  when,
  experiment: twoByTwo,
  made: 0,
  recorded: false,
  removedAt: null,
});
const run = (number: number) =>
  runWith(`run-${number}`, { output: `It rained ${number} days.` }, { when: number });

export const experimentChecks: Readonly<Record<string, Check>> = {
  async "an experiment is kept with what came of its runs, which open, are found and are not in the list of own runs"({
    tab,
  }) {
    const { experiments } = tab();
    await experiments.add(kept("a", 1));
    await experiments.add(kept("b", 2));
    for (const number of [10, 2]) await experiments.addOutcome("a", outcomeOf(number), run(number));
    const other = tab();
    same(
      "the list",
      (await other.experiments.list()).map(({ id, made }) => [id, made]),
      [
        ["b", 0],
        ["a", 2],
      ],
    );
    same(
      "outcomes, by their numbers",
      (await other.experiments.outcomes("a")).map(({ number }) => number),
      [2, 10],
    );
    same(
      "outcomes but for those that are known",
      (await other.experiments.outcomes("a", new Set([2, 5]))).map(({ number }) => number),
      [10],
    );
    same("outcomes of the other", await other.experiments.outcomes("b"), []);
    same("runs in the history", await other.list(), []);
    const runs = await other.experiments.runs();
    same(
      "runs of experiments, newest first",
      runs.map(({ id, experiment }) => [id, experiment]),
      [10, 2].map((number) => [`run-${number}`, twoByTwo.name]),
    );
    same("found by their texts", [...(await other.search("rained 10", runs)).keys()], ["run-10"]);
    const opened = await other.open("run-10");
    same(
      "a run of it",
      [opened?.facts.id, opened?.isListed, [...(opened?.bytes ?? [])]],
      ["run-10", false, [1, 2, 3]],
    );
  },

  async "two tabs that make the same run keep it once, and hear of it"({ tab }) {
    const [one, two] = [tab(), tab()];
    await one.experiments.add(kept("a"));
    const heard = new Promise((resolve) => two.watch(resolve));
    await Promise.all([
      one.experiments.addOutcome("a", outcomeOf(0, { tokens: 1 }), run(0)),
      two.experiments.addOutcome("a", outcomeOf(0, { tokens: 1 }), run(0)),
    ]);
    same("heard", await heard, { type: "experiment", id: "a" });
    same("made", (await one.experiments.find("a"))?.made, 1);
    await Promise.all([
      one.experiments.rename("a", "Named"),
      two.experiments.addOutcome("a", outcomeOf(1), run(1)),
    ]);
    const after = await one.experiments.find("a");
    same("after a name and a run", [after?.experiment.name, after?.made], ["Named", 2]);
  },

  async "a removed experiment comes back whole until it is purged, and takes its runs with it then"({ tab }) {
    const { experiments, open, keep, remove, purge } = tab();
    await experiments.add(kept("a"));
    for (const number of [0, 1]) await experiments.addOutcome("a", outcomeOf(number), run(number));
    await experiments.remove("a");
    same("the list", await experiments.list(), []);
    same("found", await experiments.find("a"), null);
    await experiments.addOutcome("a", outcomeOf(2), run(2));
    same("put back", await experiments.restore("a"), true);
    same("made", (await experiments.find("a"))?.made, 3);
    await keep(run(1));
    await experiments.remove("a");
    await experiments.purge({ before: Date.now() - 60_000 });
    await experiments.purge({ ids: ["other"], removedAt: Date.now() });
    same("can still be put back", await experiments.restore("a"), true);
    await experiments.purge(await experiments.remove("a"));
    same("is gone", [await experiments.restore("a"), await experiments.outcomes("a")], [false, []]);
    same("its run is gone", await open("run-0"), null);
    same("a run that was saved stays", (await open("run-1"))?.isListed, true);
    await purge(await remove(["run-1"]));
    same("a run that nothing needs any more is gone", await open("run-1"), null);
  },

  async "an experiment that was put back and removed again outlives the purge of its first removal"({ tab }) {
    const { experiments, open } = tab();
    await experiments.add(kept("a"));
    await experiments.addOutcome("a", outcomeOf(0), run(0));
    const removal = await experiments.remove("a");
    await experiments.restore("a");
    await experiments.purge(removal);
    same("is there", (await experiments.find("a"))?.made, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await experiments.remove("a");
    await experiments.purge(removal);
    same("put back again", await experiments.restore("a"), true);
    same("its run", (await open("run-0"))?.bytes.length, 3);
  },

  async "outcomes that came with a file have no runs"({ tab }) {
    const { experiments, open } = tab();
    await experiments.add({ ...kept("a"), recorded: true }, [outcomeOf(0), outcomeOf(1)]);
    same("made", (await experiments.find("a"))?.made, 2);
    same("a run", await open("run-0"), null);
  },

  async "a database of before there were experiments keeps its runs"({ name, tab }) {
    const steps = migrations.slice(0, 1);
    const older = createRunRepository(name, (options) => connectToRuns({ ...options, steps }));
    await older.keep(runWith("a", {}));
    older.close();
    const runs = tab();
    same(
      "the runs",
      (await runs.list()).map(({ id }) => id),
      ["a"],
    );
    same("the experiments", await runs.experiments.list(), []);
    await runs.experiments.add(kept("b"));
    same("an experiment", (await runs.experiments.list()).length, 1);
  },
};
