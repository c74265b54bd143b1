import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examples } from "./index.ts";
import { modCompilerOptions, sdkSources } from "./sdk-sources.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "midtoken-sdk-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Compiles these files beside the SDK's sources and returns the compiler's errors, a line each. */
function check(files: Readonly<Record<string, string>>): string[] {
  for (const [name, source] of Object.entries({ ...sdkSources, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), source);
  }
  return compile(["globals.d.ts", ...Object.keys(files)]);
}

function compile(files: readonly string[], options: object = {}): string[] {
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...modCompilerOptions, ...options }, files }),
  );
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const { stdout, stderr, error } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  if (error) throw error;
  return (stdout + stderr).split("\n").filter((line) => line !== "");
}

test("every gallery mod compiles against what the editor is given", () => {
  const files = Object.fromEntries(examples.map(({ name, source }) => [`example-${name}.ts`, source]));
  expect(check(files)).toEqual([]);
});

test("every example of the guide compiles against it", () => {
  const page = readFileSync("docs/mods.md", "utf8");
  const sources = [...page.matchAll(/```ts[^\n]*\n([\s\S]*?)```/g)].map(([, source = ""]) => source);
  expect(sources.length).toBeGreaterThan(35);
  const files = Object.fromEntries(sources.map((source, index) => [`guide-${index + 1}.ts`, source]));
  expect(check(files)).toEqual([]);
});

test("mistakes are found, on their line", () => {
  const errors = check({
    "wrong.ts": `import { mod } from "midtoken/mod";
export default mod({
  added(event, actions) {
    return actions.adjustPrefill("a");
  },
  forwardPass(event, actions, tokenizer) {
    return actions.adjustLogits({ ban: [tokenizer.encode("—")[0]] });
  },
});
document.title = "out";
`,
  });
  expect(errors).toHaveLength(2);
  expect(errors[0]).toMatch(/^.*wrong\.ts\(4,20\): error TS2339: Property 'adjustPrefill' does not exist/);
  expect(errors[1]).toMatch(/^.*wrong\.ts\(10,1\): error TS2\d+: Cannot find name 'document'/);
});

test("mistakes with strategies and flows are found, on their line", () => {
  const errors = check({
    "wrong-flow.ts": `import { mod } from "midtoken/mod";
import { chars, choices, nothing } from "midtoken/strategies";
import { flow, question, selfPrompt } from "midtoken/flow";
const mood = selfPrompt({ prompt: "Mood: ", strategy: choices("good"), erase: "some" });
const age = question({ name: "age", strategy: chars("digit") }).then({ kind: "end" }).assign((state, answer) => {
  state.answers.age = Number(answer);
});
export const done = flow({ entry: "age" });
export default mod({
  added(event, actions, tokenizer) {
    const text: number = mood.answer();
    return mood.handle(event, actions);
  },
});
`,
  });
  const lines = errors
    .filter((line) => line.includes("wrong-flow"))
    .map((line) => Number(/\((\d+),/.exec(line)?.[1]));
  expect([...new Set(lines)]).toEqual([2, 4, 5, 6, 8, 11, 12]);
});

test("what a self-prompt and a flow give fits both forms of a mod", () => {
  const source = `import { mod, type EventOf } from "midtoken/mod";
import { choices, type Strategy } from "midtoken/strategies";
import { end, flow, message, output, question, selfPrompt, summary, tool } from "midtoken/flow";
const strategy: Strategy = choices(["a", "b"]);
const hidden = selfPrompt({ prompt: "?", strategy, erase: "all", temperature: 0 });
interface Order { size: string; count: number }
const count = question<Order>({ name: "count", responses: ["1", "2"] }).then(tool((state) => ({ name: "order", arguments: state.data })));
const size = question<Order>({ name: "size", strategy })
  .assign((state, answer) => { state.data.size = answer; })
  .on("a", count)
  .branch((state) => (state.data.count > 1 ? message("many", { end: true }) : undefined))
  .retry({ times: 2, valid: (answer) => answer !== "", otherwise: output("no") })
  .autoAnswer((state) => state.answers.size)
  .otherwise((state) => (state.history.length > 2 ? end() : summary()));
const order = flow({ entry: size, state: () => ({ size: "", count: 0 }), summary: ({ data }) => data.size });
export const asMod = order.asMod({ name: "order" });
export const perEvent = mod({
  forwardPass: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
  sampled: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer) ?? order.handle(event, actions, tokenizer),
  added(event, actions, tokenizer) {
    const action = hidden.handle(event, actions, tokenizer);
    if (action) return action;
    const answer: string | null = hidden.answer();
    return answer === "a" ? actions.forceTokens("!") : undefined;
  },
  finished: (event, actions, tokenizer) => hidden.handle(event, actions, tokenizer),
});
export const seen = (event: EventOf<"added">) => event.text;
export default mod((event, actions, tokenizer) => hidden.handle(event, actions, tokenizer) ?? order.handle(event, actions, tokenizer));
`;
  expect(check({ "right-flow.ts": source })).toEqual([]);
});

test("the comments come along, and what is internal does not", () => {
  expect(sdkSources["core/sdk/flow/flow-graph.d.ts"]).toContain("Answers in the model's place");
  expect(sdkSources["core/masks/strategy.d.ts"]).not.toContain("build");
  // Declarations alone: the engine behind the strategies is many times as long.
  const files = Object.entries(sdkSources);
  expect(files.filter(([name]) => !name.endsWith(".d.ts") || name.includes("test"))).toEqual([]);
  expect(files.reduce((sum, [, text]) => sum + text.length, 0)).toBeLessThan(120_000);
});

test("the runner needs nothing but the language's own built-ins and TextDecoder, which the sandbox keeps", () => {
  const decoder = `declare class TextDecoder {
  constructor(label: "utf-8", options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}
`;
  writeFileSync(join(folder, "text-decoder.d.ts"), decoder);
  const files = ["text-decoder.d.ts", resolve("src/core/sdk/runner.ts")];
  expect(compile(files, { allowImportingTsExtensions: true })).toEqual([]);
});
