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
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    // The last argument of a test, on one line with the others or on its own.
    const [, digits] =
      /^\s*\}, ?(?:\{ timeout: )?([0-9_]{4,})(?: \})?\);$/.exec(line) ??
      /\btest(?:\.\w+)?\(.*, ([0-9_]{4,})\);$/.exec(line) ??
      (/^\s*\},$/.test(lines[index - 1] ?? "") ? /^\s*([0-9_]{4,}),$/.exec(line) : null) ??
      [];
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
  expect(shortTimeLimits("a.ts", "test(\n  1,\n  () => {\n  },\n  60_000,\n);")).toEqual(["a.ts:5"]);
  expect(shortTimeLimits("a.ts", "for (const a of b) test(a, run, 60_000);")).toEqual(["a.ts:1"]);
  expect(shortTimeLimits("a.ts", "test(1, () => {\n}, 600_000);\nf({\n}, 0);")).toEqual([]);
});

/** Places of code that compares or searches the message of an error. The message may stand in `error.message` or in `message`. */
function messageComparisons(path: string, text: string): string[] {
  const message = String.raw`(?:[\w.()]*\.message|\bmessage|messageOf\([^()]*\))\)?`;
  const patterns = [
    String.raw`\.message\s*[!=]==?\s*["'\`]`,
    String.raw`${message}\s*\??\.(?:startsWith|endsWith|includes|match|matchAll|search|indexOf)\(`,
    String.raw`\.(?:test|exec)\(\s*${message}`,
    String.raw`switch \(${message}\)`,
  ];
  return [...text.matchAll(new RegExp(patterns.join("|"), "g"))].map(
    ({ index }) => `${path}:${text.slice(0, index).split("\n").length}`,
  );
}

/** Files that read messages of other programs, which have no codes. */
const readsForeignMessages: Readonly<Record<string, string>> = {
  "src/core/base/import-part.ts": "browsers, on a module that cannot be fetched",
  "src/package/node/cli/options.ts": "Node's parseArgs",
  "src/package/node/cli/test-file.ts": "Node, on types that cannot be removed",
  "src/runtime/engine/onnx/decoder-graph.ts": "ONNX Runtime",
  "src/runtime/sandbox/guest-fault.ts": "QuickJS, without memory",
  "src/runtime/session/shared/memory-budget.ts": "ONNX Runtime, on a lack of memory",
};

test("no code compares the message of an error: errors have codes and fields", () => {
  const paths = programPaths(root, "src").filter((path) => !/\.(test|conformance)|\/testing\//.test(path));
  expect(paths.length).toBeGreaterThan(1_000);
  const found = paths.flatMap((path) => messageComparisons(path, readFileSync(join(root, path), "utf8")));
  const ofFile = (place: string) => place.replace(/:\d+$/, "");
  expect(found.filter((place) => !(ofFile(place) in readsForeignMessages))).toEqual([]);
  expect([...new Set(found.map(ofFile))].toSorted()).toEqual(Object.keys(readsForeignMessages));
});

test.each([
  'if (error.message.startsWith("The prompt has ")) return;',
  'if ((error as Error).message === "No") return;',
  "if (error instanceof Error && error.message?.includes(name)) return;",
  "const code = /memory/.test(messageOf(error));",
  "const line = /line (\\d+)/.exec(message)?.[1];",
  "switch (cause.message) {",
])("a planted comparison is found: %s", (line) => {
  expect(messageComparisons("a.ts", `const a = 1;\n${line}\n`)).toEqual(["a.ts:2"]);
});

test("a message that is shown, or one of another kind, is none", () => {
  const lines = ["fail(error.message);", 'if (message.role === "user") return;', "use(message);"];
  expect(messageComparisons("a.ts", lines.join("\n"))).toEqual([]);
});
