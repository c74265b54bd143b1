import { expect, test } from "vitest";
import { stalePhrases, stalePlaces } from "./stale-phrases.ts";

const before = ["The file {…} is empty. Choose another.", "Copy the link"];
const after = ["{…} has no bytes. Choose another.", "Copy the link"];
const stale = stalePhrases(before, after);
const places = (text: string) => stalePlaces(stale, [{ path: "a.test.ts", text }]);

test("phrases that are in another text are not stale", () => {
  expect([...stale]).toEqual([
    "is empty",
    "is empty choose",
    "is empty choose another",
    "empty choose",
    "empty choose another",
  ]);
  expect([...stalePhrases(["Copy the link now"], ["Copy the link", "the link now"])]).toEqual([
    "copy the link now",
  ]);
});

test("a line with stale words is found, once, with the longest run of such words", () => {
  expect(places('first();\nexpect(text).toBe("The file a.txt is empty. Choose another.");\n')).toEqual([
    { path: "a.test.ts", line: 2, phrase: "is empty choose another" },
  ]);
});

test("regular expressions, other capitals and other punctuation are found", () => {
  expect(places("toThrow(/Is empty\\. Choose/)").map(({ phrase }) => phrase)).toEqual(["is empty choose"]);
  expect(places("toThrow(/is\\s+empty/)").map(({ phrase }) => phrase)).toEqual(["is empty"]);
});

test("phrases do not cross an expression", () => {
  expect(stale.has("file is")).toBe(false);
  expect(places("Copy the link. Nothing is wrong; empty lines are left out.")).toEqual([]);
});

test("two short words are too common to be reported", () => {
  expect([...stalePhrases(["It is so now"], [])]).toEqual(["it is so now"]);
});

test("comments and names of tests are not read; a document is", () => {
  expect(
    places('// The file is empty. Choose another.\ntest("a file that is empty is refused", () => {'),
  ).toEqual([]);
  expect(stalePlaces(stale, [{ path: "a.md", text: "If the file is empty, choose another." }])).toEqual([
    { path: "a.md", line: 1, phrase: "is empty choose another" },
  ]);
});

test("two stale words are found if a literal has no other words", () => {
  expect(places('read("the list is empty").then(equal(/is empty/))').map(({ phrase }) => phrase)).toEqual([
    "is empty",
  ]);
  expect(places('expect(list).toBe("the list is empty")')).toEqual([]);
});
