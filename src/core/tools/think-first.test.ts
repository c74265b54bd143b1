/** Models that think first: a required format or call waits for the end of the reasoning. */
import { describe, expect, test } from "vitest";
import { scriptedModel } from "../decoder/testing/scripted-model.ts";
import { defaultSampling } from "../sdk/request.ts";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import { hermesFormat } from "./hermes.ts";
import { type RequestCase, recitingModel, runRequestCase } from "./testing/answer.ts";
import { tools } from "./testing/tools.ts";

const tokenizer = createTokenizer(repositoryTokenizerData("smollm2-135m"));
const prompt = tokenizer.encode("Tell me.");
const marks = { open: "<think>", close: "</think>" };
const free = { ...marks, isBegun: false };
const begun = { ...marks, isBegun: true };
const responseFormat = {
  type: "json_schema",
  json_schema: {
    name: "a",
    schema: {
      type: "object",
      properties: { a: { enum: [1, 2] } },
      required: ["a"],
      additionalProperties: false,
    },
  },
};

function ask(wish: string, rest: Partial<RequestCase>) {
  return runRequestCase({
    model: recitingModel(tokenizer, prompt.length, tokenizer.encode(wish)),
    tokenizer,
    prompt,
    format: hermesFormat,
    reasoning: free,
    ...rest,
    request: { maxTokens: 120, sampling: { ...defaultSampling, temperature: 0 } },
  });
}

describe("response_format", () => {
  test("the model may think in any words, then it keeps to the format", async () => {
    const wish = '<think>\nI could say {"a": 3}.\n</think>\n\n{"a": 2}';
    const said = await ask(wish, { responseFormat });
    expect(said.finished).toMatchObject({ reason: "stop", text: wish, error: null });
  });

  const around = { open: "<answer>", close: "</answer>" };
  test.each([
    ['<think>Hm</think>\n<answer>\n{"a": 2}\n</answer>', around],
    ['<answer>{"a": 2}</answer>', around],
    ['<think>Hm</think>{"a": 2}', around],
    ['<answer>{"a": 2}', { ...around, close: "" }],
  ])("marks that the model has for its answer may stand around it: %j", async (wish, answer) => {
    const said = await ask(wish, { responseFormat, reasoning: { ...free, answer } });
    expect(said.finished).toMatchObject({ reason: "stop", text: wish });
  });

  test("it need not think", async () => {
    expect((await ask('{"a": 1}', { responseFormat })).finished).toMatchObject({
      reason: "stop",
      text: '{"a": 1}',
    });
  });

  test("what else it would say first is not allowed", async () => {
    const said = await ask("Well, I think", { responseFormat });
    expect(said.finished.text).toMatch(/^(\s*<think>|\{)/);
  });

  test("where the prompt began the reasoning, its end comes first", async () => {
    const wish = 'Two is best.\n</think>\n{"a": 2}';
    const said = await ask(wish, { responseFormat, reasoning: begun });
    expect(said.finished).toMatchObject({ reason: "stop", text: wish });
  });

  test("without reasoning the answer begins with the format", async () => {
    const said = await ask('<think>no</think>{"a": 2}', { responseFormat, reasoning: null });
    expect(said.finished.text).toMatch(/^\{"a": [12]\}$/);
  });

  test.each([1, 2, 3, 4])("whatever a model says after its reasoning, it is valid (%i)", async (seed) => {
    const wish = tokenizer.encode("<think>hm</think>");
    const model = scriptedModel({
      vocabularySize: tokenizer.vocabSize,
      endOfSequence: tokenizer.eosTokenIds,
      logits: (context) => {
        const row = Float32Array.from({ length: tokenizer.vocabSize }, (_, token) =>
          Math.sin(seed * 1e3 + token * 7919 + context.length * 104_729),
        );
        const wanted = wish[context.length - prompt.length];
        if (wanted !== undefined) row[wanted] = 30;
        return row;
      },
    });
    const said = await runRequestCase({
      model,
      tokenizer,
      prompt,
      format: hermesFormat,
      reasoning: free,
      responseFormat,
    });
    expect(said.finished.text).toMatch(/^<think>hm<\/think>\s*\{"a": [12]\}$/);
  });
});

describe("tools", () => {
  const call =
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "celsius"}}\n</tool_call>';

  test("a required call waits for the reasoning, in which a call is none", async () => {
    const said = await ask(`<think>\nShould I write ${call}?\n</think>\n\n${call}`, {
      tools,
      toolChoice: "required",
    });
    expect(said.finished.reason).toBe("tool_calls");
    expect(said.finished.toolCalls).toHaveLength(1);
  });

  test("auto: a call in the reasoning is none, one after it is", async () => {
    const thought = `<think>\nMaybe <tool_call> it.\n</think>\n\n`;
    const text = await ask(`${thought}No.`, { tools });
    expect(text.finished).toMatchObject({ reason: "stop", text: `${thought}No.`, toolCalls: [] });
    const called = await ask(`${thought}${call}`, { tools });
    expect(called.finished).toMatchObject({ reason: "tool_calls" });
  });
});
