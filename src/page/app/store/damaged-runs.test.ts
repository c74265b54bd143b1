/** The page names damaged runs and mods. Everything that is not damaged stays usable. */
import "fake-indexeddb/auto";
import { afterEach, expect, test } from "vitest";
import { TRACE_VERSION } from "../../../core/trace/format/format.ts";
import { connectToRunsDatabase } from "../../runs/connection.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import type { RunsDatabase } from "../../runs/schema.ts";
import { runWith } from "../../runs/testing/some-runs.ts";
import { damageSentence } from "./damage-sentence.ts";
import { damagedEntries } from "./damage-store.ts";
import { startSavingRuns } from "./save-runs.ts";
import { startSavingModVersions } from "./save-versions.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function database<Value>(name: string, act: (found: RunsDatabase) => Promise<Value>): Promise<Value> {
  const connection = connectToRunsDatabase({ name, onOutdated() {}, onBlocked() {} });
  const value = await act(await connection.database());
  connection.close();
  return value;
}

function page(
  name: string,
  storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() },
) {
  const runs: RunRepository = createRunRepository(name);
  const stores = createTestStores({ runs, storages });
  ends.push(startSavingRuns(stores, { locks: undefined, events: new EventTarget(), openHistory() {} }), () =>
    runs.close(),
  );
  return stores;
}

test("one null row does not hide the history; it is named, saved with its trace, and deleted", async () => {
  const stores = page("test.damaged.row");
  const { runs, damage } = stores;
  await runs.save(runWith("a", {}));
  await runs.save(runWith("spoilt", {}));
  await database("test.damaged.row", (found) => found.put("metadata", null as never, "spoilt"));
  expect((await runs.list()).map(({ id }) => id)).toEqual(["a"]);
  const entries = () => damagedEntries(damage.getState());
  await expect.poll(() => entries().length).toBe(1);
  expect(damageSentence(entries())).toBe(
    "Run: an entry in the database of saved runs cannot be read. The entry is set aside, unchanged: save it as a file, or delete it.",
  );
  expect(JSON.parse((await entries()[0]?.read()) ?? "")).toEqual({
    storageKey: ["metadata", "spoilt"],
    value: null,
    trace: "AQID",
  });
  await entries()[0]?.remove();
  expect(entries()).toEqual([]);
  expect(await runs.trace("spoilt")).toBeNull();
});

test("a run in pieces that makes no run is named and stays until it is deleted", async () => {
  const before = createRunRepository("test.damaged.pieces");
  await before.addPiece("spoilt", 0, {
    version: TRACE_VERSION,
    records: [{ type: "odd" }] as never,
    modIds: [],
    from: null,
  });
  before.close();
  const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
  storages.tab.setItem("midtoken.shown-run.v1", '"spoilt"');
  const { runs, damage } = page("test.damaged.pieces", storages);
  const entries = () => damagedEntries(damage.getState());
  await expect.poll(() => entries().length).toBe(1);
  expect(damageSentence(entries())).toContain("A run that ended when its page was closed cannot be read");
  expect(await entries()[0]?.read()).toContain("odd");
  expect(await runs.growing()).toEqual(["spoilt"]);
  await entries()[0]?.remove();
  expect([entries(), await runs.growing()]).toEqual([[], []]);
});

test("a mod whose entry is cut keeps its versions, and the other mods are there", async () => {
  const browser = createTestMemoryStorage();
  browser.setItem("midtoken.mod.v2.whole", JSON.stringify({ name: "whole", source: "1" }));
  browser.setItem("midtoken.mod.v2.cut", '{"name":"cut","sou');
  const stores = page("test.damaged.mod", { browser, tab: createTestMemoryStorage() });
  const { runs } = stores;
  for (const mod of ["whole", "cut", "deleted"])
    await runs.versions.save({ mod, name: mod, source: "0", when: 1 });
  expect(stores.mods.getState().mods.map(({ name }) => name)).toEqual(["whole"]);
  const longAgo = Date.now() - 31 * 24 * 3_600_000;
  await runs.versions.purge(new Set(["whole", "cut"]), longAgo);
  ends.push(startSavingModVersions(stores));
  await expect.poll(async () => (await runs.versions.list("deleted")).length).toBe(0);
  expect((await runs.versions.list("cut")).length).toBe(1);
  // An edit of another mod leaves the damaged entry as it is.
  stores.mods.getState().edit("whole", "2");
  expect(browser.getItem("midtoken.mod.v2.cut")).toBe('{"name":"cut","sou');
});
