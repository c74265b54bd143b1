import { describe, expect, test } from "vitest";
import type { LanguageModel } from "../decoder/ports/language-model.ts";
import { createSimulatedDevice, withLogitsOn } from "../decoder/testing/computed-logits.ts";
import { type Handlers, inProcessMod } from "../decoder/testing/in-process-mod.ts";
import { passSizes } from "../decoder/testing/trace-log.ts";
import { hostOf } from "../sdk/flow/testing/run-mod.ts";
import { selfPrompt, selfPromptMod } from "../sdk/flow.ts";
import { mod } from "../sdk/mod.ts";
import { defaultSampling } from "../sdk/request.ts";
import { choices } from "../sdk/strategies.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import { hermesFormat } from "./hermes.ts";
import { plainFormat } from "./leading-object.ts";
import { RequestFormatError, readRequestFormat } from "./request-format.ts";
import { createRequestFormatHost } from "./request-host.ts";
import { type RequestCase, randomModel, recitingModel, runRequestCase } from "./testing/answer.ts";
import { tools, weather } from "./testing/tools.ts";

const tokenizer = createTokenizer(repositoryTokenizerData("smollm2-135m"));
const prompt = tokenizer.encode("Tell me.");
const sampling = { ...defaultSampling, temperature: 0 };

/** Asks a model that wants to say `wish`. */
function ask(wish: string, rest: Partial<RequestCase> = {}) {
  return runRequestCase({
    model: recitingModel(tokenizer, prompt.length, tokenizer.encode(wish)),
    tokenizer,
    format: plainFormat,
    prompt,
    ...rest,
    request: { sampling, maxTokens: 100, ...rest.request },
  });
}

const schema = {
  type: "object",
  properties: { city: { type: "string", maxLength: 10 }, sky: { enum: ["clear", "cloudy"] } },
  required: ["city", "sky"],
  additionalProperties: false,
};
const responseFormat = { type: "json_schema", json_schema: { name: "report", schema, strict: true } };
const oslo = '{"city": "Oslo", "sky": "clear"}';

describe("response_format", () => {
  test("an answer that has the format anyway is left as it is, in fewer passes than tokens", async () => {
    const said = await ask(oslo, { responseFormat });
    expect(said.finished).toMatchObject({ reason: "stop", text: oslo, error: null, toolCalls: [] });
    expect(said.tokens.slice(0, -1)).toEqual(tokenizer.encode(oslo));
    expect(said.finished.usage.forwardPasses).toBeLessThan(said.tokens.length);
  });

  test("of an answer without it as much is said as the format allows", async () => {
    const said = await ask("The weather in Oslo is fine.", { responseFormat });
    expect(said.finished.reason).toBe("stop");
    expect(Object.keys(JSON.parse(said.finished.text))).toEqual(["city", "sky"]);
  });

  test("json_object: any object, on one line", async () => {
    const wish = '{"a": [1, {"b": null}], "c": "x"}';
    const said = await ask(wish, { responseFormat: { type: "json_object" } });
    expect(said.finished).toMatchObject({ reason: "stop", text: wish });
    const spread = await ask('\n{\n  "a": 1\n}', { responseFormat: { type: "json_object" } });
    expect(spread.finished.text.startsWith('{"')).toBe(true);
  });

  test("json_object with a schema, as in llama.cpp's API: the schema is enforced", async () => {
    const said = await ask('{"a": 1}', { responseFormat: { type: "json_object", schema } });
    expect(said.finished.reason).toBe("stop");
    expect(Object.keys(JSON.parse(said.finished.text))).toEqual(["city", "sky"]);
    expect((await ask(oslo, { responseFormat: { type: "json_object", schema } })).finished.text).toBe(oslo);
    expect(
      readRequestFormat({ responseFormat: { type: "json_object", schema: null } }).responseFormat,
    ).toEqual({
      type: "json_object",
    });
    expect(() => readRequestFormat({ responseFormat: { type: "json_object", schema: "a" } })).toThrow(
      'response_format.schema is "a": give a JSON Schema as an object',
    );
  });

  test("an answer that could go on ends where the model ends it", async () => {
    const integer = { type: "json_schema", json_schema: { name: "n", schema: { enum: [1, 12, 123] } } };
    expect((await ask("12", { responseFormat: integer })).finished).toMatchObject({
      reason: "stop",
      text: "12",
    });
  });

  test("where the tokens run out the reason is the length", async () => {
    const said = await ask(oslo, { responseFormat, request: { maxTokens: 7 } });
    expect(said.finished.reason).toBe("length");
    expect(oslo.startsWith(said.finished.text)).toBe(true);
  });

  test("where no token of the model fits, the error says so", async () => {
    // U+40000 begins with the byte F1, which no token of SmolLM2 has.
    const enumeration = { type: "json_schema", json_schema: { name: "n", schema: { enum: ["a\u{40000}"] } } };
    const said = await ask("Oslo", { responseFormat: enumeration });
    expect(said.finished.reason).toBe("error");
    expect(said.finished.text).toBe('"a');
    expect(said.finished.error?.message).toBe(
      "At step 2, the request's response_format allows no continuation: no token of this model fits.",
    );
  });

  test('"text" and nothing leave the answer free: there is no built-in mod', () => {
    for (const format of [undefined, null, { type: "text" }]) {
      const request = readRequestFormat({ responseFormat: format });
      expect(createRequestFormatHost({ request, tokenizer, format: plainFormat, modNames: [] })).toBe(null);
    }
  });

  test("beside tools, the answer has the format or is a call", async () => {
    const both = { responseFormat, tools };
    expect((await ask(oslo, both)).finished).toMatchObject({ reason: "stop", text: oslo });
    const called = await ask('{"name": "stop", "arguments": {}}', both);
    expect(called.finished.toolCalls[0]?.function).toEqual({ name: "stop", arguments: "{}" });
  });

  test("rows of logits stay on a device, and the answer is that of rows that are brought", async () => {
    const request = { sampling, maxTokens: 12 };
    const said = (model: LanguageModel) =>
      runRequestCase({ model, tokenizer, format: plainFormat, responseFormat, request });
    const device = createSimulatedDevice({ fewest: 256, most: 384, pieceTokens: 1024 });
    const there = await said(withLogitsOn(device, randomModel(tokenizer, 5)));
    const here = await said(randomModel(tokenizer, 5));
    expect([there.tokens, there.finished.text]).toEqual([here.tokens, here.finished.text]);
    expect(there.records.some((record) => record.type === "adjusted")).toBe(true);
    expect(device.reads).toBe(0);
  });

  test("it is in the trace as a mod that says what it does", async () => {
    const { records } = await ask(oslo, { responseFormat });
    const [first] = records;
    expect(first?.type === "request" && first.mods).toEqual([
      { name: "response_format", source: expect.stringMatching(/^\/\/ Built in: .*\n[\s\S]*"sky"/) },
    ]);
    expect(records.filter((record) => record.type === "modCall").every((call) => call.fault === null)).toBe(
      true,
    );
  });
});

test("several requests, one after another and interleaved, do not disturb one another", async () => {
  const requests = [
    () => ask(oslo, { responseFormat }),
    () => ask("x", { tools, toolChoice: "required", request: { seed: 3 } }),
    () => ask("Free words.", { tools }),
    () => ask("{}", { responseFormat: { type: "json_object" } }),
  ];
  const alone = [];
  for (const request of requests) alone.push((await request()).finished.text);
  const together = await Promise.all([...requests, ...requests].map((request) => request()));
  expect(together.map(({ finished }) => finished.text)).toEqual([...alone, ...alone]);
});

describe("beside mods", () => {
  const prefer = (text: string): Handlers => ({
    forwardPass: () => ({
      type: "adjustLogits",
      logits: { add: Object.fromEntries(tokenizer.encode(text).map((token) => [token, 100])) },
    }),
  });
  const mods = (handlers: Handlers) => [inProcessMod("mine", handlers)];

  test("their edits count, and the format comes last", async () => {
    const said = await ask(oslo, { responseFormat, mods: mods(prefer("cloudy")) });
    expect(JSON.parse(said.finished.text)).toMatchObject({ sky: "cloudy" });
  });

  test("where nothing is left to sample, the error names both", async () => {
    const only = { type: "adjustLogits", logits: { only: tokenizer.encode(" banana") } };
    const said = await ask(oslo, { responseFormat, mods: mods({ forwardPass: () => only }) });
    expect(said.finished.reason).toBe("error");
    expect(said.finished.error?.message).toMatch(
      /every token that the request's response_format allows was excluded by the earlier mods \("mine"\)/,
    );
  });

  const once = (event: "added" | "forwardPass", step: number, action: unknown): Handlers => {
    let done = false;
    return {
      [event]: (at: { step: number }) => {
        if (done || at.step < step) return undefined;
        done = true;
        return action;
      },
    };
  };

  test("text that a mod forces is part of the answer", async () => {
    const force = { type: "forceTokens", tokens: tokenizer.encode("Rome") };
    const said = await ask(oslo, { responseFormat, mods: mods(once("forwardPass", 4, force)) });
    expect(said.finished.reason).toBe("stop");
    expect(JSON.parse(said.finished.text).city).toMatch(/^Rome/);
  });

  test("text that breaks the format ends the request, and says who and where", async () => {
    const force = { type: "forceTokens", tokens: tokenizer.encode(" Well,") };
    const said = await ask(oslo, { responseFormat, mods: mods(once("forwardPass", 0, force)) });
    expect(said.finished.reason).toBe("error");
    expect(said.finished.error?.message).toBe(
      'The mod "mine" put " Well" where the request\'s response_format does not allow it. For example, a valid answer could begin with "{", "{\\"". Text that is erased need not match the response_format: if this text belongs to a question of a mod, set erase: "all" on the question.',
    );
  });

  test("an end that comes too early is told", async () => {
    const force = { type: "forceTokens", tokens: [2] };
    const said = await ask(oslo, { responseFormat, mods: mods(once("forwardPass", 0, force)) });
    expect(said.finished.error?.message).toMatch(/^The mod "mine" ended the answer too early/);
  });

  test("a backtrack rewinds the state, once and again", async () => {
    let times = 0;
    const back: Handlers = {
      added: ({ step }) => (step >= 8 && times++ < 3 ? { type: "backtrack", count: 6 } : undefined),
    };
    const said = await ask(oslo, { responseFormat, mods: mods(back), request: { maxTokens: 60, seed: 5 } });
    expect(times).toBeGreaterThan(2);
    expect(said.finished.reason).toBe("stop");
    expect(Object.keys(JSON.parse(said.finished.text))).toEqual(["city", "sky"]);
  });

  test("a backtrack that puts other text in place is held to the format too", async () => {
    const change = (text: string) =>
      once("added", 6, { type: "backtrack", count: 0, tokens: tokenizer.encode(text) });
    const right = await ask(oslo, { responseFormat, mods: mods(change("vik")) });
    expect(JSON.parse(right.finished.text).city).toContain("vik");
    const wrong = await ask(oslo, { responseFormat, mods: mods(change("\n")) });
    expect(wrong.finished.error?.message).toMatch(/The mod "mine" put "\\n" where/);
  });

  test("a mod's own output, and its own tool calls, are the last word", async () => {
    const output = { type: "forceOutput", tokens: tokenizer.encode("No.") };
    const forced = await ask(oslo, { responseFormat, mods: mods(once("forwardPass", 3, output)) });
    expect(forced.finished).toMatchObject({ reason: "forced", text: "No." });
    const calls = { type: "toolCalls", calls: [{ name: "other", arguments: {} }] };
    const called = await ask(oslo, { responseFormat, mods: mods(once("forwardPass", 3, calls)) });
    expect(called.finished.reason).toBe("tool_calls");
  });

  test.each([0, 1, 4, 8])(
    "a hidden question, asked at step %d, leaves the answer as it is without it",
    async (step) => {
      const answers: (string | null)[] = [];
      const hidden = selfPrompt({
        prompt: "\nIs it warm? Answer yes or no: ",
        strategy: choices(["yes", "no"]),
        erase: "all",
      });
      const asking = mod((event, actions, tokenizer) => {
        if (event.step < step) return null;
        const action = hidden.handle(event, actions, tokenizer);
        if (event.type === "finished") answers.push(hidden.answer());
        return action;
      });
      const without = await ask(oslo, { responseFormat });
      const said = await ask(oslo, { responseFormat, mods: [hostOf(asking, tokenizer)] });
      expect(said.finished).toMatchObject({ reason: "stop", text: oslo, error: null });
      expect(said.tokens).toEqual(without.tokens);
      expect(["yes", "no"]).toContain(answers[0]);
    },
  );

  test("the answer that stays of a question is part of the answer", async () => {
    const city = selfPromptMod({
      prompt: "The city: ",
      strategy: choices(['{"city": "Rome", "sky": "clear"}', '{"city": "Bonn", "sky": "cloudy"}']),
      erase: "prompt",
    });
    const said = await ask("", { responseFormat, mods: [hostOf(city, tokenizer)] });
    expect(said.finished).toMatchObject({ reason: "stop", error: null });
    expect(["Rome", "Bonn"]).toContain(JSON.parse(said.finished.text).city);
  });

  test("a mod that fails and is switched off leaves the format on", async () => {
    const fails: Handlers = {
      forwardPass: () => {
        throw new Error("no");
      },
    };
    const said = await ask("Free words.", {
      responseFormat,
      mods: mods(fails),
      request: { onModError: "continue" },
    });
    expect(Object.keys(JSON.parse(said.finished.text))).toEqual(["city", "sky"]);
  });
});

describe("tool calls", () => {
  test("one with a fixed schema takes at most half as many passes as it has tokens", async () => {
    const said = await ask('{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "celsius"}}', {
      tools: [weather],
      toolChoice: { type: "function", function: { name: "get_weather" } },
    });
    expect(said.finished.reason).toBe("tool_calls");
    expect(said.finished.usage.forwardPasses * 2).toBeLessThanOrEqual(said.tokens.length);
    expect(passSizes(said.records).length).toBe(said.finished.usage.forwardPasses);
  });

  test.each([
    ["that the client wants", { parallelToolCalls: false }],
    ["of a required call, unless the client wants several", {}],
  ])("only one, %s", async (_, several) => {
    for (const seed of [1, 2, 3]) {
      const said = await runRequestCase({
        model: randomModel(tokenizer, seed),
        tokenizer,
        format: hermesFormat,
        tools,
        request: { seed },
        toolChoice: "required",
        ...several,
      });
      expect(said.finished.toolCalls).toHaveLength(1);
    }
  });

  test("at most eight, of a model that does not end", async () => {
    const [, , stop] = tools;
    const line = '{"name": "stop", "arguments": {}}\n';
    const said = await ask(line.repeat(20), {
      tools: stop ? [stop] : [],
      toolChoice: "required",
      parallelToolCalls: true,
      request: { maxTokens: 400 },
    });
    expect(said.finished.reason).toBe("tool_calls");
    expect(said.finished.toolCalls).toHaveLength(8);
  });
});

describe("what a request may say", () => {
  const tool = (name: unknown, rest: object = {}) => ({ type: "function", function: { name, ...rest } });
  const format = (json_schema: unknown) => ({ responseFormat: { type: "json_schema", json_schema } });

  test.each<[string, Parameters<typeof readRequestFormat>[0], RegExp]>([
    ["tools that are no list", { tools: {} }, /^tools is \{\}: give a list/],
    ["a tool that is none", { tools: [5] }, /^tools\[0\] is 5: write/],
    [
      "another type",
      { tools: [{ type: "retrieval" }] },
      /^tools\[0\]\.type is "retrieval": write "function"/,
    ],
    ["no function", { tools: [{ type: "function" }] }, /^tools\[0\]\.function is missing/],
    [
      "a name with a space",
      { tools: [tool("get weather")] },
      /^tools\[0\]\.function\.name is "get weather": use 1 to 64/,
    ],
    ["a name that is too long", { tools: [tool("a".repeat(65))] }, /use 1 to 64/],
    [
      "the same name twice",
      { tools: [tool("a"), tool("b"), tool("a")] },
      /^tools\[2\]\.function\.name is "a", the same as the name of tools\[0\]/,
    ],
    [
      "a description that is none",
      { tools: [tool("a", { description: 1 })] },
      /^tools\[0\]\.function\.description is 1/,
    ],
    [
      "parameters that are none",
      { tools: [tool("a", { parameters: [] })] },
      /^tools\[0\]\.function\.parameters is \[\]/,
    ],
    [
      "arguments that are a text",
      { tools: [tool("a", { parameters: { type: "string" } })] },
      /parameters\.type is "string"/,
    ],
    ["too many", { tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) }, /^tools has 129 tools/],
    ["an unknown choice", { tools: [tool("a")], toolChoice: "any" }, /^tool_choice is "any": write "none"/],
    [
      "a choice without tools",
      { toolChoice: "required" },
      /^tool_choice is "required", but the request has no tools/,
    ],
    [
      "an unknown function",
      { tools: [tool("a")], toolChoice: tool("b") },
      /name is "b", but the tools are "a"/,
    ],
    [
      "an unknown format",
      { responseFormat: { type: "xml" } },
      /^response_format\.type is "xml": write "text"/,
    ],
    ["a format that is none", { responseFormat: "json" }, /^response_format is "json"/],
    ["no schema", format({ name: "a" }), /^response_format\.json_schema\.schema is missing/],
    ["no name", format({ schema: {} }), /^response_format\.json_schema\.name is missing/],
    ["strict that is none", format({ name: "a", schema: {}, strict: "yes" }), /strict is "yes"/],
  ])("%s is refused", (_what, fields, message) => {
    expect(() => readRequestFormat(fields)).toThrow(RequestFormatError);
    expect(() => readRequestFormat(fields)).toThrow(message);
  });

  const host = (fields: Parameters<typeof readRequestFormat>[0]) =>
    createRequestFormatHost({
      request: readRequestFormat(fields),
      tokenizer,
      format: plainFormat,
      modNames: [],
    });

  test("a schema that cannot be met is refused, with the keyword's path", () => {
    const parameters = { properties: { a: { type: "string", minLength: -1 } } };
    expect(() => host(format({ name: "x", schema: parameters }))).toThrow(
      /^response_format\.json_schema\.schema, #\/properties\/a\/minLength: /,
    );
    expect(() => host({ tools: [tool("a"), tool("b", { parameters })] })).toThrow(
      /^tools, tool "b", #\/properties\/a\/minLength: /,
    );
    expect(() =>
      host(format({ name: "x", schema: { allOf: [{ type: "string" }, { type: "null" }] } })),
    ).toThrow(RequestFormatError);
  });
});
