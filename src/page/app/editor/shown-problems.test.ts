import { expect, test } from "vitest";
import type { Problem } from "../store/problems-store.ts";
import { maxShownProblems, shownProblems } from "./shown-problems.ts";

const problem = (changes: Partial<Problem>): Problem => ({
  source: "types",
  mod: "a",
  line: 1,
  column: 1,
  message: "Cannot find name 'x'.",
  ...changes,
});

test("a repeated problem is shown once, and the type checker's words replace the compiler's on its line", () => {
  const compile = problem({ source: "compile", message: "Unexpected token." });
  const first = problem({});
  const elsewhere = problem({ source: "compile", line: 2, message: "Unexpected token." });
  const { shown, moreCount } = shownProblems(
    [compile, first, problem({ column: 9 }), elsewhere],
    new Set(["a"]),
  );
  expect(shown).toEqual([first, elsewhere]);
  expect(moreCount).toBe(0);
});

test("problems of mods that are gone are left out", () => {
  expect(shownProblems([problem({ mod: "b" })], new Set(["a"])).shown).toEqual([]);
});

test("a pasted log with 200,000 problems shows the first 200 and counts the others", () => {
  const many = Array.from({ length: 200_000 }, (_, line) => problem({ line }));
  const { shown, moreCount } = shownProblems(many, new Set(["a"]));
  expect(shown).toEqual(many.slice(0, maxShownProblems));
  expect(moreCount).toBe(200_000 - maxShownProblems);
});
