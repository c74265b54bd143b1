/** The gallery is in order: every file has an entry, every entry its effect in a test beside this one, and the places are all there. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleGroups, examples } from "./index.ts";

const modFiles = Object.keys(import.meta.glob("./*.ts"))
  .map((path) => path.slice(2, -3))
  .filter((name) => !/^(?:index|sdk-sources|virtual-modules\.d)$|\.test$/.test(name));

test("every mod has an entry, and every entry a mod", () => {
  expect(examples.map(({ name }) => name).sort()).toEqual(modFiles.sort());
});

test.each(examples)("$name is short and plain", ({ name, title, description, source, suggestedPrompt }) => {
  expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
  expect(title).toMatch(/^[A-Z][^.]{2,39}$/);
  expect(description).toMatch(/^[A-Z][^.]{10,110}\.$/);
  expect(suggestedPrompt.length).toBeGreaterThan(0);
  expect(source.split("\n").length).toBeLessThanOrEqual(61);
  const imported = [...source.matchAll(/from "([^"]*)"/g)].map(([, from]) => from);
  expect(imported.length).toBeGreaterThan(0);
  for (const from of imported) expect(from).toMatch(/^midtoken\/(mod|strategies|flow)$/);
});

test("titles are told apart, and no group is empty", () => {
  const titles = examples.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(exampleGroups.filter((group) => group.examples.length === 0)).toEqual([]);
});

const tests = Object.keys(import.meta.glob("./examples.*.test.ts"))
  .map((path) => readFileSync(new URL(path, import.meta.url), "utf8"))
  .join("\n");

test.each(examples)("$name is run by a test", ({ name }) => {
  expect(tests).toContain(`"${name}"`);
});
