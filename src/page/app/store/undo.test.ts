/** Undo takes back what it names, and nothing that came after it. */
import { expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { examples } from "../../examples/index.ts";
import { forkIntoEditor } from "./fork.ts";
import type { Stores } from "./stores.ts";
import { addBlankMod, addExampleMod, loadExampleIntoEditor } from "./take-example.ts";
import { createTestStores } from "./testing/test-stores.ts";

const own = (name: string) => ({ name, source: `// ${name}`, enabled: true });
const pick = (name: string) => {
  const found = examples.find((each) => each.name === name);
  if (!found) throw new Error(`The gallery has no ${name}.`);
  return found;
};
const list = ({ mods }: Stores) =>
  mods.getState().mods.map(({ name, enabled }) => `${name}${enabled ? "" : " off"}`);
const idOf = ({ mods }: Stores, name: string) =>
  mods.getState().mods.find((mod) => mod.name === name)?.id ?? "";
const prompt = ({ conversation }: Stores) => conversation.getState().turns.map(({ text }) => text);

/** Presses the button of the notice that is shown. */
function press({ notices }: Stores, label: string): void {
  const [shown] = notices.getState().notices;
  if (shown?.action?.label !== label) throw new Error(`The notice "${shown?.text}" has no ${label}.`);
  notices.getState().dismiss(shown.id);
  shown.action.run();
}

test("a gallery mod is taken back with its prompt and settings", () => {
  const stores = createTestStores({ first: { mods: [own("a"), own("b")] } });
  stores.settings.getState().change({ maxTokens: 77, seed: 3 });
  loadExampleIntoEditor(stores, pick("rename-hero"));
  expect(list(stores)).toEqual(["a off", "b off", "rename-hero"]);
  press(stores, "Undo");
  expect(list(stores)).toEqual(["a", "b"]);
  expect(stores.mods.getState().active).toBe(idOf(stores, "a"));
  expect(stores.settings.getState()).toMatchObject({ maxTokens: 77, seed: 3 });
  expect(prompt(stores)).toEqual(["Once upon a time"]);
});

test("a gallery mod with its prompt ends a comparison of runs that it does not belong to", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  stores.compare.setState({ other: "some-run" });
  addExampleMod(stores, pick("wait-a-minute"));
  expect(stores.compare.getState().other).toBe("some-run");
  loadExampleIntoEditor(stores, pick("rename-hero"));
  expect(stores.compare.getState().other).toBeNull();
});

test("adding a gallery mod adds the mod and nothing else, and is taken back", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  stores.settings.getState().change({ maxTokens: 77, seed: 3 });
  addExampleMod(stores, pick("wait-a-minute"));
  expect(list(stores)).toEqual(["a", "wait-a-minute"]);
  expect(stores.mods.getState().active).toBe(idOf(stores, "wait-a-minute"));
  expect(stores.settings.getState()).toMatchObject({ maxTokens: 77, seed: 3 });
  expect(prompt(stores)).toEqual(["Once upon a time"]);
  press(stores, "Undo");
  expect(list(stores)).toEqual(["a"]);
  addBlankMod(stores);
  expect(list(stores)).toEqual(["a", "mod"]);
});

test("a gallery mod that is in the list is not added twice", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  addExampleMod(stores, pick("rename-hero"));
  stores.mods.getState().toggle(idOf(stores, "rename-hero"));
  addExampleMod(stores, pick("rename-hero"));
  expect(list(stores)).toEqual(["a", "rename-hero"]);
  press(stores, "Undo");
  expect(list(stores)).toEqual(["a", "rename-hero off"]);
});

test("what was typed after it stays: in another mod, in the mod itself, in a setting", () => {
  const stores = createTestStores({ first: { mods: [own("a"), own("b")] } });
  loadExampleIntoEditor(stores, pick("rename-hero"));
  stores.mods.getState().edit(idOf(stores, "b"), "// typed since");
  stores.mods.getState().edit(idOf(stores, "rename-hero"), "// mine now");
  stores.settings.getState().change({ maxTokens: 12 });
  press(stores, "Undo");
  expect(list(stores)).toEqual(["a", "b", "rename-hero off"]);
  expect(stores.mods.getState().mods.map(({ source }) => source)).toEqual([
    "// a",
    "// typed since",
    "// mine now",
  ]);
  expect(stores.settings.getState().maxTokens).toBe(12);
  expect(stores.notices.getState().notices[0]?.text).toContain("rename-hero");
});

test("a prompt that was edited since stays, and the old one can be had", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  loadExampleIntoEditor(stores, pick("wait-a-minute"));
  const { conversation } = stores;
  const [turn] = conversation.getState().turns;
  conversation.getState().edit(turn?.id ?? "", "typed since");
  press(stores, "Undo");
  expect(prompt(stores)[0]).toBe("typed since");
  press(stores, "Restore the earlier prompt");
  expect(prompt(stores)).toEqual(["Once upon a time"]);
  press(stores, "Undo");
  expect(prompt(stores)[0]).toBe("typed since");
});

test("an older undo leaves later mods alone", () => {
  const stores = createTestStores({ first: { mods: [own("a")] } });
  loadExampleIntoEditor(stores, pick("rename-hero"));
  const older = stores.notices.getState().notices[0];
  stores.mods.getState().add("later", "// later");
  older?.action?.run();
  expect(list(stores)).toEqual(["a", "later"]);
  older?.action?.run();
  expect(list(stores)).toEqual(["a", "later"]);
});

test("a deleted mod that came back is not brought back twice", () => {
  const stores = createTestStores({ first: { mods: [own("a"), own("b")] } });
  const undo = stores.mods.getState().remove(idOf(stores, "a"));
  undo();
  undo();
  expect(list(stores)).toEqual(["a", "b"]);
});

test("a fork uses the mods that are here already, in the record's order, and is taken back whole", async () => {
  const stores = createTestStores({ first: { mods: [own("a"), own("b"), own("c")] } });
  const mods = ["b", "a", "d"].map((name) => ({ name, source: `// ${name}` }));
  await forkIntoEditor(
    stores,
    requestRecord({ mods, messages: [{ role: "user", content: "Asked" }], maxTokens: 9 }),
  );
  expect(list(stores)).toEqual(["c off", "b", "a", "d"]);
  expect(prompt(stores)).toEqual(["Asked"]);
  stores.mods.getState().add("later", "// later");
  press(stores, "Undo");
  expect(list(stores)).toEqual(["a", "b", "c", "later"]);
  expect(prompt(stores)).toEqual(["Once upon a time"]);
});

test("one notice at a time: what can be undone comes first, and what was said meanwhile is said after it", () => {
  const { notices } = createTestStores();
  const { show, dismiss } = notices.getState();
  const texts = () => notices.getState().notices.map(({ text }) => text);
  const undo = { label: "Undo", run: () => {} };
  show("one");
  show("a was deleted", undo);
  show("two");
  show("two");
  show("b was deleted", undo);
  expect(texts()).toEqual(["b was deleted", "one", "two"]);
  dismiss(notices.getState().notices[0]?.id ?? 0);
  expect(texts()).toEqual(["one", "two"]);
});
