/** Which export of a mod's file runs: kept with the mod, sent with a run, taken over by a fork. */
import { expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { forkIntoEditor } from "./fork.ts";
import { runRequestOf } from "./start-run.ts";
import type { Stores } from "./stores.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";

const own = (name: string) => ({ name, source: `// ${name}`, enabled: true });
const mods = ({ mods }: Stores) => mods.getState().mods;
const shown = (stores: Stores) =>
  mods(stores).map(({ name, entry }) => (entry === null ? name : `${name}:${entry}`));
const sent = (stores: Stores) =>
  runRequestOf(stores, mods(stores)).mods.map(({ name, entry }) => `${name}:${entry}`);
const idOf = (stores: Stores, name: string) => mods(stores).find((mod) => mod.name === name)?.id ?? "";

test("it is sent with the run, and kept", () => {
  const storages = { browser: createTestMemoryStorage(), tab: createTestMemoryStorage() };
  const stores = createTestStores({ storages, first: { mods: [own("a"), own("b")] } });
  stores.mods.getState().chooseExport(idOf(stores, "a"), "shout");
  expect(sent(stores)).toEqual(["a:shout", "b:undefined"]);
  expect(shown(createTestStores({ storages }))).toEqual(["a:shout", "b"]);
  stores.mods.getState().chooseExport(idOf(stores, "a"), null);
  expect(shown(createTestStores({ storages }))).toEqual(["a", "b"]);
});

test("another tab shows it at once", () => {
  const browser = createTestMemoryStorage();
  const events = new EventTarget();
  const one = createTestStores({
    storages: { browser, tab: createTestMemoryStorage() },
    first: { mods: [own("a")] },
  });
  const two = createTestStores({ storages: { browser, tab: createTestMemoryStorage() }, events });
  one.mods.getState().chooseExport(idOf(one, "a"), "shout");
  const key = `midtoken.mod.v2.${idOf(one, "a")}`;
  events.dispatchEvent(
    Object.assign(new Event("storage"), { key, newValue: browser.getItem(key), storageArea: browser }),
  );
  expect(shown(two)).toEqual(["a:shout"]);
});

test("a fork takes it over, in a mod that is here already too, and an undo takes it back", async () => {
  const stores = createTestStores({ first: { mods: [own("a"), own("b")] } });
  const entries = [
    { name: "b", source: "// b", entry: "one" },
    { name: "b", source: "// b", entry: "two" },
    { name: "a", source: "// a" },
  ];
  stores.mods.getState().chooseExport(idOf(stores, "a"), "shout");
  await forkIntoEditor(stores, requestRecord({ mods: entries }));
  expect(shown(stores)).toEqual(["b:one", "b-2:two", "a"]);
  const [notice] = stores.notices.getState().notices;
  expect(notice?.text).toBe("The recorded run’s mods, prompt and settings are in the editor.");
  notice?.action?.run();
  expect(shown(stores)).toEqual(["a:shout", "b"]);
});

test("an undo leaves an export that was chosen since", async () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  await forkIntoEditor(stores, requestRecord({ mods: [{ name: "a", source: "// a", entry: "one" }] }));
  stores.mods.getState().chooseExport(idOf(stores, "a"), "two");
  stores.notices.getState().notices[0]?.action?.run();
  expect(shown(stores)).toEqual(["a:two"]);
});

test("a duplicate runs the same export", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  stores.mods.getState().chooseExport(idOf(stores, "a"), "one");
  const { name, source, needs, entry } = mods(stores)[0] ?? {};
  stores.mods.getState().add(name ?? "", source ?? "", { needs: needs ?? null, entry: entry ?? null });
  expect(shown(stores)).toEqual(["a:one", "a-2:one"]);
});
