import fc from "fast-check";
import { expect, test } from "vitest";
import { followLines } from "./followed-lines.ts";

test.each([
  ["nothing changed", "a b c", "a b c", { 1: 1, 2: 2, 3: 3 }],
  ["a line above", "a b c", "x a b c", { 1: 2, 2: 3, 3: 4 }],
  ["a line removed", "a b c", "a c", { 1: 1, 3: 2 }],
  ["a line edited", "a b c", "a B c", { 1: 1, 2: 2, 3: 3 }],
  ["two lines edited, one removed", "a b c d", "a B d", { 1: 1, 4: 3 }],
  ["edited, and a line above", "a b c", "x a B c", { 1: 2, 2: 3, 3: 4 }],
  ["all of it is another", "a b", "x y z", {}],
  ["indented", "a b", "\ta b", { 1: 1, 2: 2 }],
  ["moved", "a b c", "b c a", { 2: 1, 3: 2 }],
])("%s", (_, older, newer, expected) => {
  const text = (words: string) => words.replaceAll(" ", "\n");
  expect(Object.fromEntries(followLines(text(older), text(newer)))).toEqual(expected);
});

test("whatever is edited: lines keep their order, and no two become one", () => {
  const source = fc.array(fc.constantFrom("a", "b", "c", "", "  a"), { maxLength: 12 });
  fc.assert(
    fc.property(source, source, (older, newer) => {
      const followed = [...followLines(older.join("\n"), newer.join("\n"))];
      for (const [place, [line, now]] of followed.entries()) {
        const before = followed[place - 1];
        if (before) expect(line > before[0] && now > before[1]).toBe(true);
        expect(now).toBeLessThanOrEqual(Math.max(1, newer.length));
      }
    }),
  );
});

test("a long source of which nothing is left takes bounded work", () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, line) => `${word} ${line}`).join("\n");
  expect(followLines(lines("a"), lines("b")).size).toBe(20_000);
  expect(followLines(lines("a"), `${lines("b")}\nmore`).size).toBe(0);
});
