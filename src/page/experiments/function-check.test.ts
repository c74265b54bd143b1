import { expect, test } from "vitest";
import type { ModCallRecord, TraceRecord } from "../../core/trace/format/format.ts";
import { inProcessMod } from "../examples/testing/in-process-mod.ts";
import { functionCheckRequest, functionVerdict } from "./function-check.ts";

const run = { prompt: "Once", seed: 3, finishReason: "stop", tokens: 4, interventions: 0 };

/** Asks the function as a request does, but for the sandbox. */
async function ask(source: string, text: string) {
  const request = functionCheckRequest({ name: "check", type: "function", source }, text, run, "req");
  const lines: string[] = [];
  const tokenizer = {} as Parameters<typeof inProcessMod>[1];
  const mod = inProcessMod(request.mods[0]?.source ?? "", tokenizer, (line) => lines.push(line));
  const { fault } = await mod.ask({
    type: "prefilled",
    requestId: "req",
    step: 0,
    tokens: [1],
    maxTokens: 0,
    messages: request.messages,
    tools: [],
    responseFormat: null,
  });
  expect(request.maxTokens).toBe(0);
  const call: ModCallRecord = {
    type: "modCall",
    timeUs: 0,
    step: 0,
    durationUs: 1,
    mod: 0,
    event: "prefilled",
    superseded: false,
    action: { type: "noop" },
    line: null,
    given: null,
    console: lines.map((line) => ({ level: "info", text: line })),
    fault: fault && { stack: null, line: 2, column: null, kind: fault.kind, message: fault.message },
  };
  return functionVerdict([call satisfies TraceRecord]);
}

test("the function is given the text and its run, and answers true or false", async () => {
  const source = "const check = (text: string, run: { seed: number }) => text.length === run.seed;";
  expect(await ask(source, "abc")).toEqual({ holds: true, problem: null });
  expect(await ask(source, "abcd")).toEqual({ holds: false, problem: null });
});

test("what it says on the console is no verdict, and another answer is none either", async () => {
  const loud = `function check() { console.info("true"); return false; }`;
  expect((await ask(loud, "")).holds).toBe(false);
  const { holds, problem } = await ask("const check = () => 3;", "");
  expect(holds).toBeNull();
  expect(problem).toMatch(/returned "3": it must return true or false/);
});

test("what it throws is said with its line", async () => {
  const { holds, problem } = await ask(`const check = () => { throw new Error("no luck"); };`, "");
  expect(holds).toBeNull();
  expect(problem).toMatch(/no luck.*\(line 2\)/);
});
