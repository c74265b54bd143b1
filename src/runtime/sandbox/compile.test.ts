// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources of mods.
import { readdirSync, readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { compileMod } from "./compile.ts";
import type { CompiledMod } from "./compiled-mod.ts";
import { defineFunctionName } from "./module-wrapper.ts";
import { createPositionMap } from "./source-positions.ts";

function compiled(source: string, name = "test"): CompiledMod {
  const result = compileMod(source, name);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

/** Runs a compiled file as the guest would. */
function load(source: string, modules: Record<string, unknown> = {}): Record<string, unknown> {
  const exports = {};
  const define = (module: (exports: object, require: (name: string) => unknown) => void) =>
    module(exports, (name) => modules[name]);
  runInNewContext(compiled(source).code, { [defineFunctionName]: define });
  return exports;
}

test("types go, exports and imports stay", () => {
  const source = `import { mod, type Message } from "midtoken/mod";
import type { TokenId } from "midtoken/mod";
interface Seen { readonly id: TokenId; messages: Message[] }
enum Mood { Happy = "happy" }
const seen: Seen | null = null;
export const other = mod({ answer: seen as unknown, mood: Mood.Happy });
export default mod(<const T,>(x: T): T => x);
`;
  const exports = load(source, { "midtoken/mod": { mod: (value: unknown) => ["made", value] } });
  expect(exports.other).toEqual(["made", { answer: null, mood: "happy" }]);
  expect(exports.default).toEqual(["made", expect.any(Function)]);
});

test("the three modules can be imported, each by its name", () => {
  const source = ["mod", "strategies", "flow"]
    .map(
      (name, index) =>
        `import * as x${index} from "midtoken/${name}";\nexport const y${index} = x${index}.x;`,
    )
    .join("\n");
  const modules = { "midtoken/mod": { x: 0 }, "midtoken/strategies": { x: 1 }, "midtoken/flow": { x: 2 } };
  expect(load(source, modules)).toMatchObject({ y0: 0, y1: 1, y2: 2 });
});

test.each(["getConversation", "toolCallPairs", "getSchemas"])(
  "a source that calls %s is sent the request",
  (name) => {
    expect(
      compiled(`import { ${name} } from "midtoken/mod";\nconst read = () => ${name}();`).about.reads,
    ).toEqual({
      logits: false,
      topK: false,
      hiddenState: false,
      output: false,
      conversation: true,
      strategies: false,
      bans: false,
    });
    expect(compiled(`// ${name}`).about.reads.conversation).toBe(false);
  },
);

test.each([
  [
    "a refusal names all that can be imported",
    `import "fs";`,
    /can import only from "midtoken\/mod", "midtoken\/strategies" and "midtoken\/flow"\./,
  ],
  ["a near miss", `import { choices } from "midtoken/strategy";`, /"midtoken\/strategy" cannot be imported/],
  ["a name of every object", `import x from "constructor";`, /"constructor" cannot be imported/],
])("%s", (_, source, message) => {
  const result = compileMod(source, "test");
  expect(result.ok ? "" : result.problems[0]?.message).toMatch(message);
});

test.each([
  ["another module", `const a = 1;\nimport { x } from "lodash";`, 2, 1, /"lodash" cannot be imported/],
  ["an address", `import "https://evil.example/x.js";`, 1, 1, /"https:\/\/evil.example\/x.js"/],
  ["types of another module", `import type { X } from "./x";`, 1, 1, /"\.\/x"/],
  ["a default import", `import x, { y } from "react";`, 1, 1, /"react"/],
  ["a namespace", `import * as x from "react";`, 1, 1, /"react"/],
  ["a re-export", `export { a } from "b";`, 1, 14, /"b"/],
  ["a re-export of all", `export * from "b";`, 1, 10, /"b"/],
  ["import()", `const f = async () => {\n  await import("x");\n};`, 2, 9, /import\(\) is not available/],
  ["import() with a template", "const u = `x`; import(`${u}`);", 1, 16, /import\(\) is not available/],
  ["import() within a template", "const u = `${import('x')}`;", 1, 14, /import\(\) is not available/],
  ["import() behind a comment", `import /* c */ ("x");`, 1, 1, /import\(\) is not available/],
  ["import.meta", `const u = import.meta.url;`, 1, 11, /import\.meta/],
  ["import =", `import fs = require("fs");`, 1, 1, /import … =/],
  ["top-level await", `const a = 1;\nconst b = await a;`, 2, 11, /top of the file/],
  ["top-level await in a block", `if (true) {\n  await 0;\n}`, 2, 3, /top of the file/],
  ["top-level for await", `for await (const x of []) {}`, 1, 5, /top of the file/],
  ["await in an argument", `f(1, await (g()));`, 1, 6, /top of the file/],
  ["bad syntax", `const a = 1;\n  const = 2;`, 2, 9, /Unexpected token/],
  [
    "a mod of Quote, in Python",
    `from quote_mod_sdk import mod, Sampled\n\n@mod\ndef swap(event, actions, tokenizer):\n    return actions.noop()\n`,
    1,
    1,
    /^This is Python \("from quote_mod_sdk import mod, Sampled"\).*docs\/from-quote\.md/,
  ],
  [
    "a function of Python",
    `# swap\n@mod\ndef swap(event: Event) -> Action:\n    pass`,
    3,
    1,
    /This is Python/,
  ],
  ["an object with a key from", `const a = { from: 1 };\n  const = 2;`, 2, 9, /Unexpected token/],
  ["an open string", `const a = "x`, 1, 11, /Unterminated/],
  ["an unopened bracket", `});\nfetch("x");\n(function () {`, 1, 1, /Unexpected token/],
])("%s is refused at its place", (_, source, line, column, message) => {
  const result = compileMod(source, "test");
  if (result.ok) throw new Error(`It compiled: ${result.code}`);
  expect(result.problems[0]).toMatchObject({ line, column });
  expect(result.problems[0]?.message).toMatch(message);
  expect(result.problems[0]?.message).toMatch(/\.$/);
});

test.each([
  [
    "a name of another module",
    `import { mod } from "midtoken/mod";\nimport { choices } from "midtoken/mod";`,
    [2, 10],
    '"choices" is in "midtoken/strategies", not in "midtoken/mod".',
  ],
  [
    "a name of another module, under a name of its own",
    `import { mod, flow as f } from "midtoken/mod";`,
    [1, 15],
    '"flow" is in "midtoken/flow", not in "midtoken/mod".',
  ],
  [
    "a type of another module, without the word type",
    `import { mod, Strategy } from "midtoken/mod";`,
    [1, 15],
    '"Strategy" is in "midtoken/strategies", not in "midtoken/mod".',
  ],
  [
    "a misspelt name",
    `import { mod, requestStat } from "midtoken/mod";`,
    [1, 15],
    '"midtoken/mod" does not export "requestStat": did you mean "requestState"?',
  ],
  [
    "a misspelt name of another module",
    `import {\n  Choices,\n} from "midtoken/flow";`,
    [2, 3],
    '"midtoken/flow" does not export "Choices": did you mean "choices" from "midtoken/strategies"?',
  ],
  [
    "a name like no other",
    `import { fetchTheWeather } from "midtoken/flow";`,
    [1, 10],
    '"midtoken/flow" does not export "fetchTheWeather": it exports flow, question, selfPrompt, selfPromptMod, bestOf, end, message, optionScores, output, summary, tool.',
  ],
  [
    "a default import",
    `import mod, { requestState } from "midtoken/mod";`,
    [1, 8],
    '"midtoken/mod" has no default export: write import { mod } from "midtoken/mod".',
  ],
  [
    "a default import by name",
    `import { default as mod } from "midtoken/mod";`,
    [1, 10],
    /^"midtoken\/mod" has no default export: it exports .*requestState.*\.$/,
  ],
  [
    "a re-export",
    `export { choices, mood as default } from "midtoken/strategies";`,
    [1, 19],
    '"midtoken/strategies" does not export "mood": did you mean "mod" from "midtoken/mod"?',
  ],
  [
    "a quoted name",
    `import { "nothing like it" as x } from 'midtoken/strategies';`,
    [1, 10],
    /^"midtoken\/strategies" does not export "nothing like it": it exports constraintOf, chars, .*\.$/,
  ],
])(
  "an imported name that is not there, %s, is refused at its place",
  (_, source, [line, column], message) => {
    const result = compileMod(source, "test");
    expect(result).toMatchObject({ ok: false, problems: [{ line, column }] });
    if (!result.ok) expect(result.problems.map((problem) => problem.message)[0]).toMatch(message);
  },
);

test.each([
  [`import * as sdk from "midtoken/mod";`],
  [`import { mod as type, type ModEvent, requestState, } from "midtoken/mod";`],
  [`import type { Nonsense } from "midtoken/mod";`],
  [`import { mod, type Nonsense } from "midtoken/mod";`],
  [`import {} from "midtoken/mod"; import "midtoken/flow";`],
  [`export * from "midtoken/flow"; export * as all from "midtoken/strategies";`],
  [`const choices = 1; export { choices }; export default choices;`],
  [`const a = { import: { choices: 1 } }; a.import; const s = "import { x } from 'midtoken/mod'";`],
])("imports that name nothing wrong: %s", (source) => {
  expect(compileMod(source, "test")).toMatchObject({ ok: true });
});

test("every problem is told, not the first alone", () => {
  const result = compileMod(`import "a";\nimport "b";\nawait 1;`, "test");
  expect(result).toMatchObject({ problems: [{ line: 1 }, { line: 2 }, { line: 3 }] });
});

test.each([
  ["in a string", `const a = 'import("x") await import.meta';`],
  ["in a template", "const a = `import('x') ${1} await b`;"],
  ["in a comment", `// import("x"); await 1\n/* import "y" */`],
  ["in a regular expression", `const a = /import("x") await b/;`],
  ["as names of properties", `const a = { import: 1, await: 2, from: 3 }; a.import; a.await; a?.await;`],
  ["as a method", `const a = { await() { return 1; } }; a.await();`],
  ["in types", `type A = import("x").B; const a: typeof import("y") | null = null;`],
  [
    "await inside functions",
    `const f = async (x = 1) => await x; async function g() { for await (const y of []) await y; }`,
  ],
  ["await in a method", `const a = { async b() { await 1; }, c: async () => { await 2; } };`],
  ["await in a class", `class A { async b() { await 1; } static async *c() { yield await 2; } }`],
])("words that look forbidden are allowed %s", (_, source) => {
  expect(compileMod(source, "test")).toMatchObject({ ok: true });
});

test.each([
  [`e.logits`, true],
  [`e["logits"]`, true],
  [`const { logits } = e`, true],
  [`const { logits: l } = e`, true],
  [`const { "logits": l } = e`, true],
  ["`${e.logits}`", true],
  [`// e.logits`, false],
  [`/* e.logits */ e.adjustLogits`, false],
  [`"we read e.logits"`, false],
  ["`e.logits`", false],
  [`/logits/.test(e)`, false],
  [`const x: { logits: number } | null = null`, false],
  ["e[`logits`]", true],
  [`const { step, logits = null } = e`, true],
  [`const { a: { logits } } = e`, true],
  [`(({ step, /* and */ logits }) => step)(e)`, true],
  [`e?.logits`, true],
  // Names of the mod's own that mean no property.
  [`const logits = new Float32Array(9); logits[3] = 1; e.f(logits)`, false],
  [`const f = (a, logits) => [a, logits]; f(e, 1)`, false],
  [`let logits; logits = e.step; for (const each of logits);`, false],
  // Properties of the mod's own.
  [`this.logits = 1; return this.logits?.length`, false],
  [`return { logits }`, false],
  [`return { step: 1, logits: [1] }`, false],
  [`report({ logits }); report([{ logits }], 1)`, false],
  [`const own = { logits: false }; return mod(own)`, false],
  [`class Stats { logits = []; add(x) { this.logits.push(x) } }`, false],
  [`class Stats { step = 1; logits: number[] = []; }`, false],
  [`const stats: Stats = { logits: [] }; stats.logits.push(1); log(stats)`, false],
  [`const stats = new Stats(e); stats?.logits`, false],
  [`const stats = { logits: 1 } as Stats\nreturn stats.logits`, false],
  // Properties that may be the event's.
  [`[{ logits }] = [e]`, true],
  [`({ logits } = e)`, true],
  [`for (const { logits } of [e]);`, true],
  [`for ({ logits } of [e]);`, true],
  [`for (const [, { step, logits: l }] of [[0, e]]);`, true],
  [`[e].map(async ({ logits }) => 1)`, true],
  [`const h = { forwardPass({ step, logits }): void {} }`, true],
  [`const h = { forwardPass: ({ logits = null }: Event): void => {} }`, true],
  [`try { throw e } catch ({ logits }) {}`, true],
  [`const { logits }: Event = e`, true],
  [`this.event.logits`, true],
  [`(function () { return this.logits }).call(e)`, true],
  [`const stats = e; stats.logits`, true],
  [`let stats = { logits: 1 }; stats = e; stats.logits`, true],
  [`const stats = { ...e }; stats.logits`, true],
  [`const stats = { __proto__: e }; stats.logits`, true],
  [`const stats = { e }.e; stats.logits`, true],
  [`const stats = { e } && e; stats.logits`, true],
  [`const stats = new Proxy(e, {}); stats.logits`, true],
  [`const stats = new Box(e).event; stats.logits`, true],
  [`const stats = new Box(e) && e; stats.logits`, true],
  [`const stats = { logits: [] }; const f = (stats) => stats.logits`, true],
  [`const stats = { logits: [] }; [e].map((each) => each.logits)`, true],
  [`const box = { stats: e }; box.stats.logits`, true],
])("%s reads the logits: %s", (expression, expected) => {
  expect(compiled(`export const f = (e) => {\n${expression}\n};`).about.reads.logits).toBe(expected);
});

test.each([
  ["for (const { token } of e.topK(3));", true],
  ["const { topK } = e", true],
  ["// e.topK(3)", false],
  ["e.logits", false],
])("%s reads alternatives: %s", (statement, expected) => {
  expect(compiled(`export const f = (e) => {\n${statement}\n};`).about.reads.topK).toBe(expected);
});

test.each([
  ["e.hiddenState(3)[0]", true],
  ["const { hiddenState } = e", true],
  ["// e.hiddenState(3)", false],
  ['e["hiddenState"](3)', true],
  ['"the hiddenState"', false],
  ["e.hidden", false],
])("%s reads hidden states: %s", (expression, expected) => {
  expect(compiled(`export const f = (e) => {\n${expression}\n};`).about.reads.hiddenState).toBe(expected);
});

test.each([
  ['({ ban: "Lily" })', true],
  ["({ add: { 5: 1 } })", false],
  ['"the ban"', false],
])("%s needs an index of all tokens: %s", (expression, expected) => {
  expect(compiled(`export const f = () => ${expression};`).about.reads.bans).toBe(expected);
});

test("getConversation is seen too", () => {
  expect(compiled(`import { getConversation } from "midtoken/mod"; getConversation();`).about.reads).toEqual({
    logits: false,
    topK: false,
    hiddenState: false,
    output: false,
    conversation: true,
    strategies: false,
    bans: false,
  });
});

test.each([
  ["e.output.text", true],
  ["const { output } = e", true],
  ["// e.output", false],
  ['"the output"', false],
  ["e.text", false],
])("%s reads the output: %s", (expression, expected) => {
  expect(compiled(`export const f = (e) => {\n${expression}\n};`).about.reads.output).toBe(expected);
});

test("places map back to the editor's text", () => {
  const source = `export default 1; const first: number = boom;
const second: Array<number> = [], third = (boom as number);
`;
  const { code, about } = compiled(source);
  const map = createPositionMap(about);
  for (const [line, text] of source.split("\n").entries()) {
    for (const { index } of text.matchAll(/boom|third|const/g)) {
      const word = /^\w+/.exec(text.slice(index))?.[0] ?? "";
      const occurrence = text.slice(0, index).split(word).length;
      const generated = code.split("\n")[line]?.split(word).slice(0, occurrence).join(word).length ?? -1;
      expect(map.toSource({ line: line + 1, column: generated + 1 })).toEqual({
        line: line + 1,
        column: index + 1,
      });
    }
  }
  expect(map.toSource({ line: 99, column: 1 })).toBeNull();
});

test("a stack keeps the mod's frames alone, in both browsers' notations", () => {
  const { about } = compiled("const a: number = 1;\n  throw new Error();\n", "my mod!");
  expect(about.label).toBe("my-mod-.ts");
  const map = createPositionMap(about);
  expect(
    map.stackToSource("Error: x\n    at f (my-mod-.ts:2:9)\n    at guest.js:5:35\n    at my-mod-.ts:77:1"),
  ).toBe("    at f (my-mod-.ts:2:9)");
  expect(map.stackToSource("f@my-mod-.ts:2:9\n@guest.js:1:1")).toBe("f@my-mod-.ts:2:9");
});

test("every gallery mod compiles", () => {
  const folder = new URL("../../page/examples/", import.meta.url);
  const mods = readdirSync(folder).filter((file) => {
    return (
      file.endsWith(".ts") && readFileSync(new URL(file, folder), "utf8").includes('from "midtoken/mod"')
    );
  });
  expect(mods.length).toBeGreaterThan(5);
  for (const file of mods) {
    if (file.endsWith(".test.ts") || file === "index.ts") continue;
    expect(compileMod(readFileSync(new URL(file, folder), "utf8"), file), file).toMatchObject({ ok: true });
  }
});
