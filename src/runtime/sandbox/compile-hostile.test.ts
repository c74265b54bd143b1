// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources of mods.
/** Sources that are built to make compiling expensive: however they are built, each token is read only a few times. */
import { expect, test } from "vitest";
import { compileMod } from "./compile.ts";
import type { CompileProblem } from "./compiled-mod.ts";
import { findModExportCandidates } from "./exported-names.ts";
import { findModuleProblems, mostProblems } from "./module-rules.ts";
import { createPositionMap } from "./source-positions.ts";
import { functionDepths, readTokens } from "./source-tokens.ts";

/** The list, and a counter of reads of its items. */
function counted<Item>(items: readonly Item[]): { readonly list: readonly Item[]; reads: () => number } {
  let reads = 0;
  const list = new Proxy(items, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads: () => reads };
}

function readsOf(source: string): number {
  const { list, reads } = counted(readTokens(source));
  findModuleProblems(source, list);
  findModExportCandidates(list);
  return reads();
}

test.each([
  ["functions", (n: number) => `export default [${"x=>x,".repeat(n)}];`],
  ["calls of a name that may be a keyword", (n: number) => `${"await(".repeat(n)}1${")".repeat(n)};`],
  ["methods of that name", (n: number) => `${"x = { await() {} };".repeat(n)}`],
  ["imports without a semicolon", (n: number) => `import "midtoken/mod"\n`.repeat(n)],
  ["imports of nothing", (n: number) => `import {} from "midtoken/mod";`.repeat(n)],
  ["imports of names", (n: number) => `import { mod } from "midtoken/mod";`.repeat(n)],
  ["import(), none of which ends", (n: number) => `[${"import(x),".repeat(n)}];`],
  ["re-exports", (n: number) => `export {} from "midtoken/mod";`.repeat(n)],
  ["exports of values", (n: number) => `export const a = f({ b: [1] }), c = 1\n`.repeat(n)],
  ["exports of names", (n: number) => `export { a };`.repeat(n)],
])("%s: tokens are looked at in proportion to their number", (_, make) => {
  const few = readsOf(make(20));
  const many = readsOf(make(200));
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(11 * few);
});

test("which tokens stand in functions is counted, and each function is looked at once", () => {
  const scopes = Array.from({ length: 300 }, (_, index) => ({
    isFunctionScope: index % 3 > 0,
    startTokenIndex: index,
    endTokenIndex: 600 - index,
  }));
  const { list, reads } = counted(scopes);
  const depths = functionDepths(1_000, list);
  expect(reads()).toBe(300);
  const asked = Array.from(
    { length: 1_000 },
    (_, token) =>
      scopes.filter(
        (each) => each.isFunctionScope && each.startTokenIndex <= token && token < each.endTokenIndex,
      ).length,
  );
  expect([...depths.slice(0, 1_000)]).toEqual(asked);
});

function problemsOf(source: string): readonly CompileProblem[] {
  const result = compileMod(source, "test");
  return result.ok ? [] : result.problems;
}

test("so many problems are told as anyone reads, in order", () => {
  const problems = problemsOf(`import "x";\n`.repeat(1_000));
  expect(problems.map(({ line }) => line)).toEqual(Array.from({ length: mostProblems }, (_, at) => at + 1));
});

test.each([
  ["of a module", (long: string) => `import "${long}";`],
  ["of an import", (long: string) => `import { ${long} } from "midtoken/mod";`],
  ["of a default import", (long: string) => `import ${long} from "midtoken/mod";`],
])("a long name %s is cut in the words about it", (_, make) => {
  const [problem] = problemsOf(make("x".repeat(100_000)));
  expect(problem?.message.length).toBeLessThan(400);
});

test.each([
  ["parentheses", `${"(".repeat(50_000)}1${")".repeat(50_000)};`],
  ["a chain of operators", `${"!".repeat(100_000)}1;`],
  ["blocks", "{".repeat(50_000) + "}".repeat(50_000)],
])("%s nested deeper than the compiler's stack are refused in words", (_, source) => {
  expect(problemsOf(source)).toEqual([
    { message: expect.stringContaining("nests brackets or operators too deeply"), line: null, column: null },
  ]);
});

test.each([
  ["an operator like one", "const a = 1;\nif (a <!--b) {\n}", 2, 7, "<!--"],
  ["one at the start of a line", "const a = 1;\n<!-- fetch()", 2, null, "<!--"],
  ["an end at the start of a line", "let a = 1;\n  --> a", 2, null, "-->"],
  ["an end behind a comment", "let a = 1;/*\n*/ --> a", 2, null, "-->"],
  ["in a template", "let b = 1, a = `${ b <!--b }`;", 1, null, "<!--"],
])("a comment of HTML, %s, is refused with its line and the advice", (_, source, line, column, comment) => {
  expect(problemsOf(source)).toEqual([
    {
      message: expect.stringMatching(`^"${comment}" .* // for a comment`),
      line,
      column: column ?? expect.any(Number),
    },
  ]);
});

test.each([
  ["a string", `const a = "<!-- -->";`],
  ["a template", "const a = `<!--\n-->${1}-->`;"],
  ["a regular expression", `const a = /<!--/.test("-->");`],
  ["a comment", `// <!--\n/* <!--\n --> */ const a = 1;`],
  ["operators", `let a = 3, b = 1;\nwhile (a --> 0) b = a < !--b ? 1 : 2;`],
  ["operators that a type kept apart", "let c = 1;\nconst a = c </**/<T>!--c;"],
])("%s may hold what looks like one", (_, source) => {
  expect(problemsOf(source)).toEqual([]);
});

test("a place is found in a line of any length", () => {
  const result = compileMod(`[${"a as any,".repeat(5_000)}];`, "test");
  if (!result.ok) throw new Error("It did not compile.");
  const map = createPositionMap(result.about);
  const line = result.code.split("\n")[0] ?? "";
  const at = line.lastIndexOf("a ,") + 1;
  expect(map.toSource({ line: 1, column: at })).toEqual({ line: 1, column: 2 + 9 * 4_999 });
});
