import { expect, test } from "vitest";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { findTextMove } from "../../view/timeline/ribbon/text-moves.ts";
import { featureKeys } from "./features/feature-keys.ts";
import { findKeyBinding as findOwnKeyBinding, keyBindings } from "./key-acts.ts";
import { keyGroups } from "./key-groups.ts";
import { keyLabel } from "./keys.ts";
import { playgroundKeys } from "./playground-keys.ts";
import { createTestStores } from "./store/testing/test-stores.ts";

const findKeyBinding = (event: ReturnType<typeof press>, isTyping: boolean, lettersOn: boolean) =>
  findOwnKeyBinding(event, isTyping, lettersOn, featureKeys);

const press = (key: string, changes: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...changes,
});

test("the help names each key once, as it is pressed", () => {
  expect(playgroundKeys.map(keyLabel)).toEqual([
    "Ctrl Enter",
    "Esc",
    "n / p",
    "← →",
    "Shift ← →",
    "↑ ↓",
    "Home / End",
    "+ / -",
    "a / d",
    "0 / z",
    "/",
    "space",
    ".",
    "e",
    "b",
    "r",
    ",",
    "f",
    "s",
    "h",
    "x",
    "v",
    "g",
    "Ctrl K",
    "?",
    "Alt ← →",
    "F2",
    "Ctrl M",
    "Tab",
    "← →",
  ]);
  expect(playgroundKeys.filter(({ group }) => !keyGroups.includes(group))).toEqual([]);
  const listed = new Set(playgroundKeys.map(({ act }) => act));
  expect(Object.entries(keyBindings).filter(([, { act }]) => !listed.has(act))).toEqual([]);
});

test.each(playgroundKeys.flatMap((row) => row.keys.map((key) => [key, row] as const)))(
  "%s does what its row of the help says",
  (key, row) => {
    const withCtrl = { ctrlKey: row.withCtrl === true };
    expect(findKeyBinding(press(key, withCtrl), false, true)?.act).toBe(row.act);
    if (row.moves) expect(findTextMove(press(key))).not.toBeNull();
    // Single letters can be switched off, and none is listened to in a field.
    if (row.isLetter) expect(findKeyBinding(press(key), false, false)).toBeNull();
    if (row.act && !row.whileTyping) expect(findKeyBinding(press(key, withCtrl), true, true)).toBeNull();
    // A key with another modifier belongs to the browser.
    if (row.act) expect(findKeyBinding(press(key, { altKey: true }), false, true)).toBeNull();
    if (row.act && !row.withCtrl)
      expect(findKeyBinding(press(key, { ctrlKey: true }), false, true)).toBeNull();
  },
);

test("each key acts on the page", () => {
  const stores = createTestStores();
  const done: string[] = [];
  const actions = {
    run: () => done.push("run"),
    help: () => done.push("help"),
    share: () => done.push("share"),
    guide: () => done.push("guide"),
    commands: () => done.push("commands"),
  };
  const act = (key: string, changes = {}) =>
    findKeyBinding(press(key, changes), false, true)?.act({ ...stores, key, actions });
  expect(act("n")).toBe(false);
  expect(act("Escape")).toBe(false);
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 60 }).records);
  stores.run.getState().show(trace);
  expect(act("n")).toBe(true);
  const first = stores.run.getState().selection;
  act("n");
  act("p");
  expect(stores.run.getState().selection).toEqual(first);
  stores.run.getState().select({ anchor: 3, cursor: 9 });
  expect(act("Escape")).toBe(true);
  expect(stores.run.getState().selection).toEqual({ anchor: 9, cursor: 9 });
  expect(act("Escape")).toBe(false);
  act("f");
  expect(stores.settings.getState().foldRemoved).toBe(true);
  for (const key of ["?", "s", "g"]) act(key);
  for (const key of ["Enter", "k"]) act(key, { metaKey: true });
  expect(done).toEqual(["help", "share", "guide", "run", "commands"]);
});
