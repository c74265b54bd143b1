/** A damaged row affects no other row: a part of the suite in `repository.conformance.ts`. */
import { sampleOutcome, twoByTwo } from "../experiments/testing/small-experiment.ts";
import { connectToRunsDatabase } from "./connection.ts";
import type { RunsDatabase } from "./schema.ts";
import { expectFailure, expectSame, type RunsCheck } from "./testing/checks.ts";
import { runWith } from "./testing/some-runs.ts";

/** Writes into the database as a fault of the browser or another version would. */
async function spoil(name: string, act: (database: RunsDatabase) => Promise<unknown>): Promise<void> {
  const connection = connectToRunsDatabase({ name, onOutdated() {}, onBlocked() {} });
  await act(await connection.database());
  connection.close();
}

const put = (name: string, store: "metadata" | "removed" | "importedRuns" | "experiments", value: unknown) =>
  spoil(name, (database) => database.put(store, value as never, "spoilt"));

export const damagedRowChecks: Readonly<Record<string, RunsCheck>> = {
  async "a damaged row of the list hides no other run, is named with its trace, and can be dropped"({
    name,
    tab,
  }) {
    const runs = tab();
    await runs.save(runWith("a", { output: "dragon" }));
    await runs.save(runWith("spoilt", { output: "dragon" }));
    const ids = async () => (await runs.list()).map(({ id }) => id);
    for (const value of [null, 7, [], {}, { ...runWith("spoilt", {}).metadata, tags: "none" }]) {
      await put(name, "metadata", value);
      const heard = new Promise((resolve) => runs.watch(resolve));
      expectSame(`the list beside ${JSON.stringify(value)}`, await ids(), ["a"]);
      expectSame("heard", await heard, { type: "damaged" });
    }
    expectSame("metadata", await runs.metadata(["spoilt"]), []);
    expectSame("opened", await runs.open("spoilt"), null);
    expectSame("family", await runs.branchTree("spoilt"), []);
    expectSame("found", [...(await runs.search("dragon", await runs.list())).keys()], ["a"]);
    await runs.mark(["spoilt", "a"], () => ({ star: true }));
    expectSame("removed", (await runs.remove(["spoilt", "a"])).ids, ["a"]);
    expectSame("restored", await runs.restore(["a"]), ["a"]);
    const [row, ...others] = await runs.damaged();
    expectSame("damaged", [row?.store, row?.key, others], ["metadata", "spoilt", []]);
    expectSame("its trace", (await runs.trace("spoilt"))?.length, 3);
    if (row) await runs.drop({ ...row, key: "a" });
    expectSame("a row that can be read is not dropped", await ids(), ["a"]);
    if (row) await runs.drop(row);
    expectSame("dropped", [await runs.damaged(), await runs.trace("spoilt")], [[], null]);
  },

  async "damaged rows of other kinds hide nothing either"({ name, tab }) {
    const runs = tab();
    const { experiments, versions } = runs;
    const made = { when: 1, experiment: twoByTwo, made: 0, recorded: false, removedAt: null };
    await experiments.add({ ...made, id: "e" });
    await experiments.addOutcome("e", sampleOutcome(0), runWith("of-e", {}));
    await versions.save({ mod: "m", name: "m", source: "one", when: 1 });
    await runs.save(runWith("a", {}));
    const removal = await runs.remove(["a"]);
    for (const store of ["removed", "importedRuns", "experiments"] as const) await put(name, store, null);
    await spoil(name, (database) => database.put("outcomes", { outcome: 7 } as never, ["e", 1]));
    await spoil(name, (database) => database.put("versions", null as never, ["m", 2]));
    expectSame("versions", (await versions.list("m")).length, 1);
    expectSame("experiments", (await experiments.list()).length, 1);
    expectSame("outcomes", (await experiments.outcomes("e")).length, 1);
    await runs.saveImportedRun(runWith("v", {}));
    expectSame("the visitor", (await runs.open("v"))?.metadata.id, "v");
    expectSame("restored", await runs.restore(["a", "spoilt"]), ["a"]);
    await runs.purge(removal);
    await runs.purge({ before: Date.now() + 1 });
    await experiments.purge({ before: Date.now() + 1 });
    expectSame("the list", (await runs.list()).length, 1);
    const found = await runs.damaged();
    expectSame(
      "damaged",
      found.map(({ store }) => store),
      ["removed", "importedRuns", "experiments", "outcomes", "versions"],
    );
    for (const row of found) await runs.drop(row);
    expectSame("dropped", await runs.damaged(), []);
  },

  async "a damaged piece is an error of its own run"({ name, tab }) {
    const runs = tab();
    const piece = { version: 2, records: [], modIds: [], from: null };
    await runs.addPiece("a", 0, piece);
    await runs.addPiece("b", 0, piece);
    await spoil(name, (database) => database.put("pieces", null as never, ["a", 1]));
    await expectFailure("pieces of the damaged run", () => runs.pieces("a"), "TraceError");
    expectSame("as they are kept", (await runs.rawPieces("a")).length, 2);
    expectSame("pieces of the other", (await runs.pieces("b")).length, 1);
  },
};
