import { expect, test } from "vitest";
import type { Breakpoint } from "../../../runtime/session/shared/breakpoint.ts";
import { breakpointLimits } from "../../../runtime/session/shared/breakpoint.ts";
import { createBreakpointsStore, parseBreakpoints } from "./breakpoints-store.ts";

function store(first: readonly Breakpoint[] | null = null) {
  const saved: (readonly Breakpoint[])[] = [];
  const applied: (readonly Breakpoint[])[] = [];
  const made = createBreakpointsStore(
    { load: () => first, save: (value) => void saved.push(value) },
    (list) => applied.push(list),
  );
  return { ...made.getState(), list: () => made.getState().breakpoints, saved, applied };
}

const text = { type: "text", text: "Lily" } as const;
const rare = { type: "probability", below: 0.1 } as const;

test("each change is kept, and told to the run that goes on", () => {
  const { add, setEnabled, setAllEnabled, list, saved, applied } = store();
  expect(applied).toEqual([[]]);
  expect(add(text)).toBeNull();
  expect(add(rare)).toBeNull();
  setEnabled(list()[0]?.id ?? "", false);
  expect(list()).toMatchObject([
    { ...text, enabled: false },
    { ...rare, enabled: true },
  ]);
  setAllEnabled(false);
  expect(list().map(({ enabled }) => enabled)).toEqual([false, false]);
  expect(saved.at(-1)).toEqual(list());
  expect(applied.at(-1)).toEqual(list());
});

test("the same once more is switched on, not added", () => {
  const { add, setEnabled, list } = store();
  add(text);
  setEnabled(list()[0]?.id ?? "", false);
  expect(add({ ...text })).toBeNull();
  expect(list()).toMatchObject([{ ...text, enabled: true }]);
});

test("what is wrong is said, and changes nothing; there is a most", () => {
  const { add, list } = store();
  expect(add({ type: "text", text: "" })).toMatch(/Enter the text/);
  expect(list()).toEqual([]);
  for (let count = 0; count < breakpointLimits.count; count += 1)
    add({ type: "text", text: `word ${count}` });
  expect(add({ type: "text", text: "one more" })).toMatch(/50 breakpoints.*remove one/);
  expect(list()).toHaveLength(breakpointLimits.count);
});

test("a removed one is put back in its place, once", () => {
  const { add, remove, list } = store();
  for (const word of ["a", "b", "c"]) add({ type: "text", text: word });
  const before = list();
  const undo = remove(before[1]?.id ?? "");
  expect(list()).toEqual([before[0], before[2]]);
  undo();
  undo();
  expect(list()).toEqual(before);
  const again = remove(before[0]?.id ?? "");
  add({ type: "text", text: "a" });
  again();
  expect(list().filter((each) => each.type === "text" && each.text === "a")).toHaveLength(1);
});

test.each<[string, unknown, number]>([
  ["no list", { id: "a" }, -1],
  ["one of each kind", ["text", "probability", "action", "event"].map(kept), 4],
  ["kinds of another version", [{ ...kept("text"), type: "moon" }, kept("event")], 1],
  ["an action of another version", [{ ...kept("action"), action: "dance" }], 0],
  ["a probability that is none", [{ ...kept("probability"), below: 7 }], 0],
  ["a text that is too long", [{ ...kept("text"), text: "x".repeat(600) }], 0],
  ["more than are kept", Array.from({ length: 80 }, () => kept("text")), 50],
])("what was kept is checked: %s", (_, value, count) => {
  expect(parseBreakpoints(value)?.length ?? -1).toBe(count);
});

function kept(type: string) {
  const fields = { text: "Lily", below: 0.5, action: "any", mod: null, event: "added" };
  return { id: type, enabled: true, type, ...fields };
}
