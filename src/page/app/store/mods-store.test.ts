import { expect, test } from "vitest";
import { createModLibrary } from "./mod-library.ts";
import { cleanModName } from "./mod-name.ts";
import { createModsStore, parseTabMods } from "./mods-store.ts";
import { openStoredValue } from "./persist.ts";
import { createTestMemoryStorage } from "./testing/memory-storage.ts";
import { createRecordingTroubleReporter } from "./testing/recorded-trouble.ts";

function storeOf(...names: string[]) {
  const mods = names.map((name) => ({
    id: name,
    name,
    source: `// ${name}`,
    enabled: true,
    needs: null,
    entry: null,
  }));
  const browser = createTestMemoryStorage();
  const library = createModLibrary(browser, createRecordingTroubleReporter(), new EventTarget());
  const kept = openStoredValue(
    { browser, tab: createTestMemoryStorage() },
    "desk",
    parseTabMods,
    createRecordingTroubleReporter(),
  );
  return { store: createModsStore(library, kept, { mods, active: names[0] ?? null }), library };
}
const order = (store: ReturnType<typeof storeOf>["store"]) =>
  store
    .getState()
    .mods.map(({ name }) => name)
    .join(" ");

test.each([
  ["a", 2, "b c a"],
  ["c", 0, "c a b"],
  ["b", 9, "a c b"],
  ["b", -3, "b a c"],
  ["x", 0, "a b c"],
])("%s moves to %i", (id, to, expected) => {
  const { store } = storeOf("a", "b", "c");
  store.getState().move(id, to);
  expect(order(store)).toBe(expected);
});

test("a removed mod comes back where it was, and open", () => {
  const { store, library } = storeOf("a", "b", "c");
  store.getState().open("b");
  const undo = store.getState().remove("b");
  expect(order(store)).toBe("a c");
  expect(store.getState().active).toBe("c");
  undo();
  expect(order(store)).toBe("a b c");
  expect(store.getState().active).toBe("b");
  expect(library.load()).toHaveLength(3);
});

test("names stay unique and fit a model string", () => {
  const { store } = storeOf("a");
  expect(store.getState().add("a", "").name).toBe("a-2");
  expect(store.getState().add("a-2", "").name).toBe("a-3");
  store.getState().rename("a", "my mod / two");
  expect(store.getState().mods[0]?.name).toBe("my-mod-two");
  store.getState().rename("a", "  ");
  expect(store.getState().mods[0]?.name).toBe("my-mod-two");
  expect(cleanModName("x".repeat(50))).toHaveLength(40);
});

test("what a tab stored about its mods is read as far as it can be used", () => {
  expect(parseTabMods(null)).toBeNull();
  expect(parseTabMods({ order: ["1", 2, null], enabled: "1", active: 9 })).toEqual({
    order: ["1"],
    enabled: [],
    active: null,
  });
});
