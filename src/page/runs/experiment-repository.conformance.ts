/** Saved experiments: a part of the suite in `repository.conformance.ts`. */
import { sampleOutcome, twoByTwo } from "../experiments/testing/small-experiment.ts";
import type { SavedExperiment } from "./schema.ts";
import { expectSame, type RunsCheck } from "./testing/checks.ts";
import { runWith } from "./testing/some-runs.ts";

const savedExperiment = (id: string, when = 1): SavedExperiment => ({
  id,
  when,
  experiment: twoByTwo,
  made: 0,
  recorded: false,
  removedAt: null,
});
const run = (number: number) =>
  runWith(`run-${number}`, { output: `It rained ${number} days.` }, { when: number });

export const experimentChecks: Readonly<Record<string, RunsCheck>> = {
  async "an experiment is kept with what came of its runs, which open, are found and are not in the list of own runs"({
    tab,
  }) {
    const { experiments } = tab();
    await experiments.add(savedExperiment("a", 1));
    await experiments.add(savedExperiment("b", 2));
    for (const number of [10, 2]) await experiments.addOutcome("a", sampleOutcome(number), run(number));
    const other = tab();
    expectSame(
      "the list",
      (await other.experiments.list()).map(({ id, made }) => [id, made]),
      [
        ["b", 0],
        ["a", 2],
      ],
    );
    expectSame(
      "outcomes, by their numbers",
      (await other.experiments.outcomes("a")).map(({ number }) => number),
      [2, 10],
    );
    expectSame(
      "outcomes but for those that are known",
      (await other.experiments.outcomes("a", new Set([2, 5]))).map(({ number }) => number),
      [10],
    );
    expectSame("outcomes of the other", await other.experiments.outcomes("b"), []);
    expectSame("runs in the history", await other.list(), []);
    const runs = await other.experiments.runs();
    expectSame(
      "runs of experiments, newest first",
      runs.map(({ id, experiment }) => [id, experiment]),
      [10, 2].map((number) => [`run-${number}`, twoByTwo.name]),
    );
    expectSame("found by their texts", [...(await other.search("rained 10", runs)).keys()], ["run-10"]);
    const opened = await other.open("run-10");
    expectSame(
      "a run of it",
      [opened?.metadata.id, opened?.isListed, [...(opened?.bytes ?? [])]],
      ["run-10", false, [1, 2, 3]],
    );
  },

  async "two tabs that make the same run keep it once, and hear of it"({ tab }) {
    const [one, two] = [tab(), tab()];
    await one.experiments.add(savedExperiment("a"));
    const heard = new Promise((resolve) => two.watch(resolve));
    await Promise.all([
      one.experiments.addOutcome("a", sampleOutcome(0, { tokens: 1 }), run(0)),
      two.experiments.addOutcome("a", sampleOutcome(0, { tokens: 1 }), run(0)),
    ]);
    expectSame("heard", await heard, { type: "experiment", id: "a" });
    expectSame("made", (await one.experiments.find("a"))?.made, 1);
    await Promise.all([
      one.experiments.rename("a", "Named"),
      two.experiments.addOutcome("a", sampleOutcome(1), run(1)),
    ]);
    const after = await one.experiments.find("a");
    expectSame("after a name and a run", [after?.experiment.name, after?.made], ["Named", 2]);
  },

  async "a removed experiment comes back whole until it is purged, and takes its runs with it then"({ tab }) {
    const { experiments, open, save, remove, purge } = tab();
    await experiments.add(savedExperiment("a"));
    for (const number of [0, 1]) await experiments.addOutcome("a", sampleOutcome(number), run(number));
    await experiments.remove("a");
    expectSame("the list", await experiments.list(), []);
    expectSame("found", await experiments.find("a"), null);
    await experiments.addOutcome("a", sampleOutcome(2), run(2));
    expectSame("put back", await experiments.restore("a"), true);
    expectSame("made", (await experiments.find("a"))?.made, 3);
    await save(run(1));
    await experiments.remove("a");
    await experiments.purge({ before: Date.now() - 60_000 });
    await experiments.purge({ ids: ["other"], removedAt: Date.now() });
    expectSame("can still be put back", await experiments.restore("a"), true);
    await experiments.purge(await experiments.remove("a"));
    expectSame("is gone", [await experiments.restore("a"), await experiments.outcomes("a")], [false, []]);
    expectSame("its run is gone", await open("run-0"), null);
    expectSame("a run that was saved stays", (await open("run-1"))?.isListed, true);
    await purge(await remove(["run-1"]));
    expectSame("a run that nothing needs any more is gone", await open("run-1"), null);
  },

  async "an experiment that was put back and removed again outlives the purge of its first removal"({ tab }) {
    const { experiments, open } = tab();
    await experiments.add(savedExperiment("a"));
    await experiments.addOutcome("a", sampleOutcome(0), run(0));
    const removal = await experiments.remove("a");
    await experiments.restore("a");
    await experiments.purge(removal);
    expectSame("is there", (await experiments.find("a"))?.made, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await experiments.remove("a");
    await experiments.purge(removal);
    expectSame("put back again", await experiments.restore("a"), true);
    expectSame("its run", (await open("run-0"))?.bytes.length, 3);
  },

  async "outcomes that came with a file have no runs"({ tab }) {
    const { experiments, open } = tab();
    await experiments.add({ ...savedExperiment("a"), recorded: true }, [sampleOutcome(0), sampleOutcome(1)]);
    expectSame("made", (await experiments.find("a"))?.made, 2);
    expectSame("a run", await open("run-0"), null);
  },
};
