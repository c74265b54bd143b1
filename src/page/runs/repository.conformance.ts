/**
 * Checks that the repository of runs must pass over any IndexedDB: in Node over a database in memory, in a browser over its own.
 * A check throws on failure.
 */
import { connectToRunsDatabase, RunsOutdatedError } from "./connection.ts";
import { damagedRowChecks } from "./damaged-rows.conformance.ts";
import { experimentChecks } from "./experiment-repository.conformance.ts";
import { removedRunsChecks } from "./removed-runs.conformance.ts";
import { createRunRepository, type RunRepository } from "./repository.ts";
import { migrations, type RunPiece } from "./schema.ts";
import { expectFailure, expectSame, type RunsCheck } from "./testing/checks.ts";
import { runWith, sampleRun } from "./testing/some-runs.ts";
import { modVersionChecks } from "./version-repository.conformance.ts";

export interface RepositoryCheck {
  readonly name: string;
  run(): Promise<void>;
}

let databases = 0;

/** `id`: begins the names of the databases, so that two runs of the suite share none. */
export function repositoryConformance(id: string): RepositoryCheck[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const tabs: RunRepository[] = [];
      databases += 1;
      const browser = { name: `test.${id}.${databases}` };
      const tab = () => {
        const opened = createRunRepository(browser.name);
        tabs.push(opened);
        return opened;
      };
      try {
        await check({ ...browser, tab });
      } finally {
        for (const opened of tabs) opened.close();
        indexedDB.deleteDatabase(browser.name);
      }
    },
  }));
}

const checks: Readonly<Record<string, RunsCheck>> = {
  ...experimentChecks,
  ...removedRunsChecks,
  ...damagedRowChecks,
  ...modVersionChecks,

  async "a kept run is in the list, newest first, and opens whole"({ tab }) {
    const runs = tab();
    expectSame("an empty list", await runs.list(), []);
    const [older, newer] = [sampleRun({ id: "b", when: 1 }), sampleRun({ id: "a", when: 2 })];
    await runs.save(older);
    await runs.save(newer);
    expectSame("the list", await runs.list(), [newer.metadata, older.metadata]);
    const opened = await tab().open("b");
    expectSame("the trace", [...(opened?.bytes ?? [])], [...older.bytes]);
    expectSame("the metadata", opened?.metadata, older.metadata);
    expectSame("metadata by id", await runs.metadata(["a", "missing"]), [newer.metadata]);
    expectSame("a run that is not kept", await runs.open("missing"), null);
  },

  async "what one tab changes the others hear, and marks of two tabs come together"({ tab }) {
    const [one, two] = [tab(), tab()];
    const heard = new Promise((resolve) => two.watch(resolve));
    await one.save(runWith("a", {}));
    expectSame("heard", await heard, { type: "runs", ids: ["a"] });
    await Promise.all([
      one.mark(["a", "missing"], ({ tags }) => ({ tags: [...tags, "one"] })),
      two.mark(["a"], ({ tags }) => ({ tags: [...tags, "two"], star: true })),
    ]);
    const [metadata] = await one.list();
    expectSame("tags", metadata?.tags.toSorted(), ["one", "two"]);
    expectSame("star", metadata?.star, true);
    // Saved once more, as the tab that made the run does if another tab has closed the run meanwhile.
    await two.save(runWith("a", { output: "whole" }));
    expectSame("marks of a run that is kept again", (await one.list())[0]?.tags.toSorted(), ["one", "two"]);
  },

  async "removed runs are in no list and no search, and come back as they were until they are purged"({
    tab,
  }) {
    const runs = tab();
    const savedRuns = ["a", "b", "c"].map((id, when) =>
      runWith(id, { output: "dragon" }, { when, star: id === "c" }),
    );
    for (const run of savedRuns) await runs.save(run);
    const before = await runs.list();
    expectSame("removed", (await runs.remove(["a", "c", "missing"])).ids, ["a", "c"]);
    expectSame(
      "the list",
      (await runs.list()).map(({ id }) => id),
      ["b"],
    );
    expectSame("found", [...(await runs.search("dragon", await runs.list())).keys()], ["b"]);
    expectSame("opened", await runs.open("a"), null);
    expectSame("restored", await runs.restore(["a", "c"]), ["a", "c"]);
    expectSame("the list again", await runs.list(), before);
    expectSame("opened again", (await runs.open("c"))?.bytes.length, 3);
    const removal = await runs.remove(["a", "c"]);
    await runs.purge({ ...removal, ids: ["a"] });
    expectSame("after one was purged", await runs.restore(["a", "c"]), ["c"]);
    await runs.remove(["c"]);
    await runs.purge({ before: Date.now() - 60_000 });
    expectSame("what was removed just now", await runs.restore(["c"]), ["c"]);
    await runs.remove(["c"]);
    await runs.purge({ before: Date.now() + 1 });
    expectSame("after all were purged", await runs.restore(["c"]), []);
  },

  async "a run grows in pieces, of which the first begins anew, and the whole takes their place"({ tab }) {
    const runs = tab();
    const piece = (text: string): RunPiece => ({ version: 2, records: [], modIds: [text], from: null });
    await runs.addPiece("a", 0, piece("old"));
    await runs.addPiece("a", 1, piece("old"));
    await runs.addPiece("b", 0, piece("b"));
    await runs.addPiece("a", 0, piece("1"));
    for (const number of [2, 10]) await runs.addPiece("a", number, piece(String(number)));
    expectSame(
      "pieces in order",
      (await runs.pieces("a")).map(({ modIds }) => modIds[0]),
      ["1", "2", "10"],
    );
    expectSame("growing", (await tab().growing()).toSorted(), ["a", "b"]);
    expectSame("not in the list", await runs.list(), []);
    await runs.save(runWith("a", {}));
    expectSame("growing once one is whole", await runs.growing(), ["b"]);
    await runs.dropPieces("b");
    expectSame("growing in the end", await runs.growing(), []);
  },

  async "a visitor is found but not listed, eight stay, and saving puts it into the list"({ tab }) {
    const runs = tab();
    for (let when = 0; when < 10; when += 1) await runs.saveImportedRun(runWith(`v${when}`, {}, { when }));
    expectSame("the list", await runs.list(), []);
    expectSame("the oldest", [await runs.open("v0"), await runs.open("v1")], [null, null]);
    expectSame("the next", (await runs.open("v2"))?.isListed, false);
    await runs.save(runWith("v2", { output: "saved" }, { recorded: true }));
    expectSame("saved", (await runs.open("v2"))?.isListed, true);
    expectSame(
      "the list then",
      (await runs.list()).map(({ id, recorded }) => ({ id, recorded })),
      [{ id: "v2", recorded: true }],
    );
  },

  async "the search looks through whole texts of more runs than it reads at a time"({ tab }) {
    const runs = tab();
    const filler = "once upon a time ".repeat(100);
    await Promise.all(
      Array.from({ length: 520 }, (_, at) =>
        runs.save(
          runWith(`r${String(at).padStart(3, "0")}`, { output: `${filler}${at === 519 ? "Zürich" : "."}` }),
        ),
      ),
    );
    const found = await runs.search("ZÜRICH", await runs.list());
    expectSame("found at the very end", [...found.keys()], ["r519"]);
    expectSame("everywhere", (await runs.search("Upon", await runs.list())).size, 520);
    const left = new AbortController();
    left.abort();
    await expectFailure(
      "a search that is no longer wanted",
      async () => runs.search("upon", await runs.list(), left.signal),
      "AbortError",
    );
  },

  async "a family is found from any of its runs, also where the one it came from is gone"({ tab }) {
    const runs = tab();
    const member = (id: string, other: string | null, from: string | null = null) =>
      runWith(
        id,
        {},
        {
          requestId: `req ${id}`,
          from,
          branch: other === null ? null : { requestId: `req ${other}`, index: 3, isChosen: true, words: "x" },
        },
      );
    const ids = async (id: string) => (await runs.branchTree(id)).map((run) => run.id).toSorted();
    for (const run of [member("a", null), member("b", "a", "a"), member("c", "b"), member("d", "a", "gone")])
      await runs.save(run);
    for (const run of [member("alone", null, "a"), member("x", "y"), member("y", "x"), member("z", "z")])
      await runs.save(run);
    for (const id of ["a", "b", "c", "d"]) expectSame(`from ${id}`, await ids(id), ["a", "b", "c", "d"]);
    expectSame("a run that was only made again", await ids("alone"), ["alone"]);
    expectSame("round in a circle", [await ids("x"), await ids("z")], [["x", "y"], ["z"]]);
    expectSame("a run that is not kept", await ids("missing"), []);
    await runs.remove(["a"]);
    expectSame("without its origin", await ids("c"), ["b", "c", "d"]);
    await runs.restore(["a"]);
    expectSame("with it again", await ids("d"), ["a", "b", "c", "d"]);
  },

  async "a write that fails leaves nothing of itself"({ tab }) {
    const runs = tab();
    const broken = { ...runWith("a", {}), bytes: (() => {}) as unknown as Uint8Array<ArrayBuffer> };
    await expectFailure("what cannot be kept", () => runs.save(broken), "DataCloneError");
    expectSame("the list", await runs.list(), []);
    expectSame("opened", await runs.open("a"), null);
  },

  async "a newer Midtoken takes the database over; the older tab says so, and then refuses every call"({
    name,
    tab,
  }) {
    const older = tab();
    await older.save(runWith("a", {}));
    const heard = new Promise((resolve) => older.watch(resolve));
    const steps = [...migrations, () => {}];
    const newer = createRunRepository(name, (options) => connectToRunsDatabase({ ...options, steps }));
    expectSame(
      "the newer one's list",
      (await newer.list()).map(({ id }) => id),
      ["a"],
    );
    expectSame("heard", await heard, { type: "outdated" });
    await expectFailure("the older one's list", () => older.list(), new RunsOutdatedError().name);
    const late = tab();
    await expectFailure("an older one that comes later", () => late.list(), new RunsOutdatedError().name);
    newer.close();
  },

  async "a database that the user cleared is made anew"({ name, tab }) {
    const runs = tab();
    await runs.save(runWith("a", {}));
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(name).onsuccess = resolve;
    });
    expectSame("the list", await runs.list(), []);
    await runs.save(runWith("b", {}));
    expectSame("the list then", (await runs.list()).length, 1);
  },
};
