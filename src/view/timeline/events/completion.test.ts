import { expect, test } from "vitest";
import { filterCompletionAt } from "./completion.ts";
import { parseFilter } from "./filter-language.ts";

const mods = ["swap-name", 'the "old" one'];
const at = (marked: string) => filterCompletionAt(marked.replace("|", ""), marked.indexOf("|"), mods);
const inserts = (marked: string) => at(marked)?.options.map(({ insert }) => insert) ?? null;

test.each([
  ["ki|", ["kind:"]],
  ["a to|", ["token:", "took>"]],
  ["-k|", ["kind:"]],
  ["kind:re|", ["kind:reinjected ", "kind:removed ", "kind:steered "]],
  ["mod:|", ["mod:swap-name ", 'mod:"the " ']],
  ["fault:th|", ["fault:threw "]],
  ["step:1|", null],
  ["foo:b|", null],
  ['"ki|', null],
  ["/ki|", null],
  ['"a ki|', null],
  ["-/a ki|", null],
  ["/a b/ ki|", ["kind:"]],
  ['mod:"a b" ki|', ["kind:"]],
])("%s: %o", (marked, expected) => {
  expect(inserts(marked)).toEqual(expected);
});

test("in an empty field it offers every key; before other words nothing", () => {
  expect(inserts("|")?.length).toBeGreaterThan(8);
  expect(inserts("| kind:forced")).toBeNull();
});

test("what it puts in place of is the word at the caret, and what it puts there is right", () => {
  expect(at("p<1 ki|nd:x b")).toMatchObject({ from: 4, to: 10 });
  for (const marked of ["kind:|", "event:|", "action:|", "fault:|", "log:|", "mod:|"])
    for (const insert of inserts(marked) ?? []) expect(parseFilter(insert).problems).toEqual([]);
});
