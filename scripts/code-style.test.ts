/** Rules of docs/contributing/style.md that a search of the sources can hold. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { programPaths } from "./testing/programs.ts";

const root = resolve(import.meta.dirname, "..");

/** Places of lines that spread an object literal: into another one, as in `f({ ...{ a, b }, c })`, or into JSX attributes. */
function literalSpreads(path: string, text: string): string[] {
  const lines = text.split("\n").map((line, index) => ({ line, place: `${path}:${index + 1}` }));
  return lines.filter(({ line }) => /\.\.\.\{/.test(line)).map(({ place }) => place);
}

test("no object literal is spread: its fields, or the attributes, stand there themselves", () => {
  const planted = "scripts/code-style.test.ts";
  const paths = ["src", "scripts", "e2e"]
    .flatMap((folder) => programPaths(root, folder))
    .filter((path) => path !== planted);
  const found = paths.flatMap((path) => literalSpreads(path, readFileSync(join(root, path), "utf8")));
  expect(found).toEqual([]);
});

test("a planted spread is found", () => {
  expect(literalSpreads("a.ts", "const a = 1;\nconst b = {\n  ...{ a, c: 2 },\n};\n")).toEqual(["a.ts:3"]);
  expect(literalSpreads("a.tsx", "<Part {...{ a }} />\n<Part a={a} {...rest} />")).toEqual(["a.tsx:1"]);
});

/** Places of tests and hooks that set a time limit of their own, as `}, 60_000);`. */
function shortTimeLimits(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const [, digits] = /^\s*\}, ?(?:\{ timeout: )?([0-9_]{4,})(?: \})?\);$/.exec(line) ?? [];
    const limitMs = Number(digits?.replaceAll("_", ""));
    return limitMs < defaultTimeLimitMs ? [`${path}:${index + 1}`] : [];
  });
}

const defaultTimeLimitMs = Number(
  /testTimeout: ([0-9_]+)/.exec(readFileSync(join(root, "vite.config.ts"), "utf8"))?.[1]?.replaceAll("_", ""),
);

test("no test has less time than `testTimeout`, which is made for a busy machine", () => {
  expect(defaultTimeLimitMs).toBeGreaterThan(60_000);
  const paths = ["src", "scripts"]
    .flatMap((folder) => programPaths(root, folder))
    .filter((path) => /\.test\.tsx?$/.test(path));
  expect(paths.length).toBeGreaterThan(600);
  const found = paths.flatMap((path) => shortTimeLimits(path, readFileSync(join(root, path), "utf8")));
  expect(found).toEqual([]);
});

test("a planted short limit is found", () => {
  expect(shortTimeLimits("a.ts", "test(1, () => {\n}, 60_000);\nbeforeAll(() => {\n}, 5000);")).toEqual([
    "a.ts:2",
    "a.ts:4",
  ]);
  expect(shortTimeLimits("a.ts", "test(1, () => {\n}, 600_000);\nf({\n}, 0);")).toEqual([]);
});
