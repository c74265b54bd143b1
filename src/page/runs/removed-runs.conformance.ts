/** A late purge deletes no run that was restored or is still needed: a part of the suite in `repository.conformance.ts`. */
import { sampleOutcome, twoByTwo } from "../experiments/testing/small-experiment.ts";
import { expectSame, type RunsCheck } from "./testing/checks.ts";
import { runWith } from "./testing/some-runs.ts";

export const removedRunsChecks: Readonly<Record<string, RunsCheck>> = {
  async "a removed run that is kept again, from a backup, say, survives the purge of its removal"({ tab }) {
    const [runs, other] = [tab(), tab()];
    const run = runWith("a", { output: "dragon" }, { star: true });
    await runs.save(run);
    const removal = await runs.remove(["a"]);
    await other.save(run);
    expectSame("put back though it is back", await runs.restore(["a"]), ["a"]);
    await runs.purge(removal);
    await runs.purge({ before: Date.now() + 60_000 });
    expectSame("the list", (await runs.list()).length, 1);
    expectSame("its text", [...(await runs.search("dragon", await runs.list())).keys()], ["a"]);
    expectSame("its trace", [...((await runs.open("a"))?.bytes ?? [])], [1, 2, 3]);
  },

  async "a removal's purge leaves a later removal of the same run, whose Undo still stands"({ tab }) {
    const [runs, other] = [tab(), tab()];
    await runs.save(runWith("a", {}));
    const removal = await runs.remove(["a"]);
    await other.save(runWith("a", {}));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await other.remove(["a"]);
    await runs.purge(removal);
    expectSame("put back", await other.restore(["a"]), ["a"]);
    expectSame("its trace", (await other.open("a"))?.bytes.length, 3);
  },

  async "a trace stays while a list, a visitor, an experiment or an Undo needs it"({ tab }) {
    const runs = tab();
    const { experiments } = runs;
    const made = { when: 1, experiment: twoByTwo, made: 0, recorded: false, removedAt: null };
    await experiments.add({ ...made, id: "e" });
    await experiments.addOutcome("e", sampleOutcome(0), runWith("of-experiment", {}));
    await runs.save(runWith("of-experiment", {}));
    await runs.purge(await runs.remove(["of-experiment"]));
    expectSame("the experiment's run", (await runs.open("of-experiment"))?.bytes.length, 3);

    await runs.save(runWith("of-experiment", {}));
    const removal = await runs.remove(["of-experiment"]);
    await experiments.purge(await experiments.remove("e"));
    expectSame("put back", await runs.restore(removal.ids), ["of-experiment"]);
    expectSame("the run that came back", (await runs.open("of-experiment"))?.bytes.length, 3);

    await runs.save(runWith("shown", {}));
    const shown = await runs.remove(["shown"]);
    await runs.saveImportedRun(runWith("shown", {}, { when: 1 }));
    await runs.purge(shown);
    expectSame("the visitor", (await runs.open("shown"))?.bytes.length, 3);

    await runs.save(runWith("both", {}));
    const both = await runs.remove(["both"]);
    await runs.saveImportedRun(runWith("both", {}, { when: 0 }));
    for (let when = 2; when < 12; when += 1) await runs.saveImportedRun(runWith(`v${when}`, {}, { when }));
    expectSame("put back after its visitor went", await runs.restore(both.ids), ["both"]);
    expectSame("its trace", (await runs.open("both"))?.bytes.length, 3);
  },
};
