/** Two tabs of one browser: mods are shared as they are written, and what each tab does with them is its own. */
import { expect, test } from "vitest";
import type { Storages } from "./persist.ts";
import type { Stores } from "./stores.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createTestStores } from "./testing/test-stores.ts";

/** A browser whose tabs hear of what the others write, at once. */
function browserOf(limit?: number) {
  const values = createTestMemoryStorage(limit);
  const tabs: { events: EventTarget; storages: Storages }[] = [];
  const open = (
    tab: Storage = createTestMemoryStorage(),
  ): { stores: Stores; tab: Storage; events: EventTarget } => {
    const events = new EventTarget();
    const tell = (key: string, newValue: string | null) => {
      for (const other of tabs) {
        if (other.events === events) continue;
        const event = Object.assign(new Event("storage"), {
          key,
          newValue,
          storageArea: other.storages.browser,
        });
        other.events.dispatchEvent(event);
      }
    };
    const browser: Storage = {
      ...values,
      get length() {
        return values.length;
      },
      setItem(key, value) {
        values.setItem(key, value);
        tell(key, value);
      },
      removeItem(key) {
        values.removeItem(key);
        tell(key, null);
      },
    };
    const storages = { browser, tab };
    tabs.push({ events, storages });
    const first = { mods: [{ name: "a", source: "// a", enabled: true }] };
    return { stores: createTestStores({ storages, events, first }), tab, events };
  };
  return { open };
}

const list = ({ mods }: Stores) =>
  mods.getState().mods.map(({ name, source, enabled }) => `${name}${enabled ? "" : " off"}: ${source}`);
const idOf = ({ mods }: Stores, name: string) =>
  mods.getState().mods.find((mod) => mod.name === name)?.id ?? "";

test("mods that are written in two tabs are all there, in both and in a third", () => {
  const { open } = browserOf();
  const [one, two] = [open().stores, open().stores];
  one.mods.getState().add("b", "// b");
  two.mods.getState().add("c", "// c");
  one.mods.getState().edit(idOf(one, "a"), "// typed in one");
  two.mods.getState().edit(idOf(two, "c"), "// typed in two");
  expect(list(one)).toEqual(["a: // typed in one", "b: // b", "c off: // typed in two"]);
  expect(list(two)).toEqual(["a: // typed in one", "b off: // b", "c: // typed in two"]);
  expect(
    list(open().stores)
      .map((line) => line.replace(" off", ""))
      .sort(),
  ).toEqual(["a: // typed in one", "b: // b", "c: // typed in two"]);
});

test("prompt, settings, and which mods take part are each tab's own, also after a reload", () => {
  const { open } = browserOf();
  const [one, two] = [open(), open()];
  const prompt = (stores: Stores) => stores.conversation.getState().turns.map(({ text }) => text);
  const say = ({ conversation }: Stores, text: string) =>
    conversation.getState().edit(conversation.getState().turns[0]?.id ?? "", text);
  say(one.stores, "first tab");
  one.stores.settings.getState().change({ maxTokens: 11 });
  say(two.stores, "second tab");
  two.stores.settings.getState().change({ maxTokens: 22 });
  two.stores.mods.getState().toggle(idOf(two.stores, "a"));
  const [again, fresh] = [open(one.tab).stores, open().stores];
  expect([prompt(one.stores), prompt(again), prompt(fresh)]).toEqual([
    ["first tab"],
    ["first tab"],
    ["second tab"],
  ]);
  expect([again.settings.getState().maxTokens, fresh.settings.getState().maxTokens]).toEqual([11, 22]);
  expect([list(again), list(fresh)]).toEqual([["a: // a"], ["a off: // a"]]);
});

test("a mod deleted in one tab and brought back is in the other as it was", () => {
  const { open } = browserOf();
  const [one, two] = [open().stores, open().stores];
  const undo = one.mods.getState().remove(idOf(one, "a"));
  expect(list(two)).toEqual([]);
  undo();
  expect(list(two)).toEqual(["a: // a"]);
  expect(two.mods.getState().active).toBe(idOf(two, "a"));
});

test("no mods at all is no first visit", () => {
  const { open } = browserOf();
  const { stores } = open();
  stores.mods.getState().remove(idOf(stores, "a"));
  expect(list(open().stores)).toEqual([]);
});

test("what the browser could not keep is not overwritten by what it has", () => {
  const { open } = browserOf(60);
  const { stores, events } = open();
  stores.mods.getState().edit(idOf(stores, "a"), `// ${"much too long ".repeat(9)}`);
  events.dispatchEvent(new Event("focus"));
  expect(list(stores)[0]).toContain("much too long");
});
