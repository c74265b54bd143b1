/** The provider used by the real `ai` package, on the real engine with scripted models. */
import { Chat } from "@ai-sdk/react";
import {
  APICallError,
  createProviderRegistry,
  DirectChatTransport,
  generateText,
  NoSuchModelError,
  Output,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from "ai";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { mod } from "../../core/sdk/index.ts";
import type { ModHandlers } from "../../core/sdk/mod.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createScriptedModel, type ScriptedModelOptions } from "../testing/scripted-model.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import { createMidtoken, readMidtokenMetadata } from "./index.ts";

// The warnings that these tests cause are not printed.
vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);

const engines: MidtokenEngine[] = [];

afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose();
});

const max = mod({
  sampled(event, actions) {
    if (event.text === " Lily.") return actions.forceTokens(" Max.");
  },
});
const goingBack: ModHandlers = {
  added(event, actions) {
    if (event.text === " Lily.") return actions.backtrack(2, " called Max.");
  },
};
const back = mod(goingBack);
const backTwo = mod({ ...goingBack, maxBacktrack: 2 });
const broken = mod({
  added(event) {
    if (event.step > 2) throw new Error("no such name");
  },
});
const plain = mod({
  forwardPass: (_, actions, tokenizer) => actions.adjustLogits({ ban: tokenizer.encode("!") }),
});

async function setUp(options: ScriptedModelOptions) {
  const engine = await createTestEngine({
    models: createScriptedModel(options),
    mods: { max, back, "back-two": backTwo, broken, plain },
  });
  engines.push(engine);
  return { engine, midtoken: createMidtoken(engine) };
}

const story = () => setUp({ script: "There was a girl named Lily. She smiled." });
const prompt = "Tell me a story.";

describe("generateText", () => {
  test("gives text, usage and finish reason", async () => {
    const { midtoken } = await story();
    const result = await generateText({ model: midtoken("scripted"), prompt });
    expect(result.text).toBe("There was a girl named Lily. She smiled.");
    expect([result.finishReason, result.rawFinishReason]).toEqual(["stop", "stop"]);
    expect(result.usage).toMatchObject({ outputTokens: 9, outputTokenDetails: { textTokens: 9 } });
    expect(result.usage.inputTokens).toBeGreaterThan(prompt.length);
    expect(result.response.modelId).toBe("scripted");
    expect(result.warnings).toEqual([]);
  });

  test("ends at the limit and at a stop sequence", async () => {
    const { midtoken } = await story();
    const model = midtoken("scripted");
    const short = await generateText({ model, prompt, maxOutputTokens: 3 });
    expect([short.text, short.finishReason]).toEqual(["There was a", "length"]);
    const stopped = await generateText({ model, prompt, stopSequences: [" named"] });
    expect([stopped.text, stopped.finishReason]).toEqual(["There was a girl", "stop"]);
  });

  test("tells what the mods did", async () => {
    const { midtoken, engine } = await story();
    const { text, providerMetadata } = await generateText({ model: midtoken("scripted/back,plain"), prompt });
    expect(text).toBe("There was a girl called Max. She smiled.");
    const metadata = readMidtokenMetadata(providerMetadata);
    expect(metadata).toMatchObject({
      finishReason: "stop",
      interventionCount: 1,
      interventions: [{ mod: "back", kind: "backtrack", text: " called Max.", removedTokens: 2 }],
      hiddenTokens: 0,
    });
    expect(metadata?.adjustedSteps.plain).toBeGreaterThan(8);
    expect(await engine.requests.permalink(metadata?.requestId ?? "")).toContain("#");
  });

  test("gives structured output, whatever the model would say", async () => {
    const { midtoken } = await setUp({ script: 'Sure! {"name": "Max", "age": 7}' });
    const schema = z.object({ name: z.enum(["Max", "Lily"]), age: z.number().int().min(0).max(9) });
    const { output } = await generateText({
      model: midtoken("scripted"),
      prompt,
      output: Output.object({ schema }),
    });
    expect(schema.parse(output)).toEqual(output);
  });

  test("calls tools in steps, and answers their results", async () => {
    const { midtoken } = await setUp({
      script: (turns) =>
        turns.at(-1)?.role === "tool"
          ? `It is ${JSON.parse(turns.at(-1)?.text ?? "").sky}.`
          : ['<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>'],
    });
    const asked: string[] = [];
    const weather = tool({
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        asked.push(city);
        return { sky: "sunny" };
      },
    });
    const { text, steps } = await generateText({
      model: midtoken("scripted"),
      prompt: "What is the weather in Paris?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe("It is sunny.");
    expect(asked).toEqual(["Paris"]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(steps[0]?.toolCalls[0]).toMatchObject({ toolName: "weather", input: { city: "Paris" } });
  });

  test("an answer that is cut in a call keeps the whole calls, streamed and not, and runs no other", async () => {
    const call = (city: string) =>
      `<tool_call>\n{"name": "weather", "arguments": {"city": "${city}"}}\n</tool_call>`;
    const { midtoken } = await setUp({ script: `${call("Paris")}\n${call("Athens")}` });
    const asked: string[] = [];
    const weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => asked.push(city),
    });
    const lengths = Array.from({ length: 18 }, (_, place) => place + 1);
    let cuts = 0;
    for (const maxOutputTokens of lengths) {
      asked.length = 0;
      const request = { model: midtoken("scripted"), prompt: "?", tools: { weather }, maxOutputTokens };
      const whole = await generateText(request);
      const [step] = whole.steps;
      if (whole.finishReason !== "length") continue;
      const cut = readMidtokenMetadata(whole.providerMetadata)?.cutToolCall;
      if (cut === 1) cuts += 1;
      expect(step?.toolCalls.every(({ invalid }) => !invalid)).toBe(true);
      expect(asked.every((city) => ["Paris", "Athens"].includes(city))).toBe(true);
      if (cut === 1) expect(step?.toolCalls.map(({ input }) => input)).toEqual([{ city: "Paris" }]);
      const streamed = streamText(request);
      expect((await streamed.toolCalls).map(({ input }) => input)).toEqual(
        step?.toolCalls.map(({ input }) => input),
      );
      expect(readMidtokenMetadata(await streamed.providerMetadata)?.cutToolCall).toBe(cut);
    }
    expect(cuts).toBeGreaterThan(0);
  });

  test("calls the tool that was asked for, whatever the model would say", async () => {
    const { midtoken } = await setUp({ script: "I do not know." });
    const result = await generateText({
      model: midtoken("scripted"),
      prompt,
      tools: { roll: tool({ inputSchema: z.object({ sides: z.literal(6) }) }) },
      toolChoice: { type: "tool", toolName: "roll" },
      maxOutputTokens: 100,
    });
    expect(result.toolCalls).toMatchObject([{ toolName: "roll", input: { sides: 6 } }]);
  });

  test("rejects as the AI SDK does", async () => {
    const { midtoken } = await story();
    const call = (model: string, more: object = {}) =>
      generateText({ model: midtoken(model), prompt, maxRetries: 0, ...more });
    await expect(call("other")).rejects.toSatisfy(
      (error) =>
        NoSuchModelError.isInstance(error) && error.message.includes("The loaded models are scripted"),
    );
    await expect(call("scripted/none")).rejects.toSatisfy(
      (error) => APICallError.isInstance(error) && error.statusCode === 404 && !error.isRetryable,
    );
    await expect(call("scripted/broken")).rejects.toSatisfy(
      (error) => APICallError.isInstance(error) && error.statusCode === 422 && /broken/.test(error.message),
    );
    await expect(call("scripted", { temperature: -1 })).rejects.toSatisfy(
      (error) =>
        APICallError.isInstance(error) && error.statusCode === 400 && /temperature/.test(error.message),
    );
    await expect(call("scripted", { providerOptions: { midtoken: { beam: 2 } } })).rejects.toThrow(
      "providerOptions.midtoken.beam is not known. The known names are",
    );
    const image = {
      type: "file" as const,
      mediaType: "image/png",
      data: new Uint8Array([1]),
      filename: "a.png",
    };
    await expect(
      generateText({
        model: midtoken("scripted"),
        messages: [{ role: "user", content: [image] }],
        maxRetries: 0,
      }),
    ).rejects.toThrow('The file "a.png" of type image/png cannot be shown');
  });

  test("warns of what has no effect", async () => {
    const { midtoken } = await story();
    const { warnings } = await generateText({ model: midtoken("scripted"), prompt, reasoning: "high" });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "reasoning" }]);
  });

  test("has what the model thought apart from its answer, and sends it back", async () => {
    const { midtoken, engine } = await setUp({
      script: (turns) =>
        turns.length > 1 ? [turns.at(-2)?.text || "no"] : ["<think>", "Hm.", "</think>", "Yes"],
      vocabulary: ["<think>", "</think>"],
    });
    const { text, reasoningText, response } = await generateText({ model: midtoken("scripted"), prompt });
    expect({ text, reasoningText }).toEqual({ text: "Yes", reasoningText: "Hm." });
    const messages = [
      { role: "user" as const, content: prompt },
      ...response.messages,
      { role: "user" as const, content: "So?" },
    ];
    // This model's template does not support reasoning, so an earlier turn contains none.
    const again = await generateText({ model: midtoken("scripted"), messages });
    expect(again.text).toBe("Yes");
    expect(engine.models.list()[0]?.loaded?.thinking).toBe("always");
  });

  test("ends when it is aborted", async () => {
    const { midtoken } = await setUp({ script: () => Array.from({ length: 2000 }, () => " on") });
    const controller = new AbortController();
    const call = generateText({ model: midtoken("scripted"), prompt, abortSignal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(call).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  });
});

describe("streamText", () => {
  test("gives the text as it grows, and the parts around it", async () => {
    const { midtoken } = await story();
    const result = streamText({ model: midtoken("scripted/max"), prompt });
    const types: string[] = [];
    let text = "";
    for await (const part of result.fullStream) {
      if (types.at(-1) !== part.type) types.push(part.type);
      if (part.type === "text-delta") text += part.text;
    }
    expect(text).toBe("There was a girl named Max. She smiled.");
    expect(types).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
    const metadata = readMidtokenMetadata(await result.providerMetadata);
    expect(metadata?.interventions).toMatchObject([{ mod: "max", kind: "forceTokens", text: " Max." }]);
  });

  test("never says what is taken back", async () => {
    const { midtoken } = await story();
    let text = "";
    for await (const delta of streamText({ model: midtoken("scripted/back"), prompt }).textStream)
      text += delta;
    expect(text).toBe("There was a girl called Max. She smiled.");
  });

  test("gives raw chunks and records where they are asked for", async () => {
    const { midtoken } = await story();
    const result = streamText({ model: midtoken("scripted/max"), prompt, include: { rawChunks: true } });
    const raw: { object?: string; records?: { type: string }[] }[] = [];
    for await (const part of result.fullStream) if (part.type === "raw") raw.push(part.rawValue as never);
    const objects = new Set(raw.map(({ object }) => object));
    expect([...objects].sort()).toEqual(["chat.completion.chunk", "midtoken.records"]);
    const records = raw.flatMap((value) => value.records ?? []);
    expect([records[0]?.type, records.at(-1)?.type]).toEqual(["request", "finished"]);
  });

  test("has log-probabilities where they are asked for", async () => {
    const { midtoken } = await setUp({ script: ["A", { " cat": 0.75, " dog": 0.25 }] });
    const result = streamText({
      model: midtoken("scripted"),
      prompt,
      temperature: 0,
      providerOptions: { midtoken: { logprobs: 1 } },
    });
    await result.consumeStream();
    const logprobs = readMidtokenMetadata(await result.providerMetadata)?.logprobs ?? [];
    expect(logprobs.map(({ token }) => token).slice(0, 2)).toEqual(["A", " cat"]);
    expect(logprobs[1]?.logprob).toBeCloseTo(Math.log(0.75), 4);
    expect(logprobs[1]?.top_logprobs).toHaveLength(1);
  });

  test("says that a mod failed, after what came before", async () => {
    const { midtoken } = await story();
    const errors: unknown[] = [];
    const result = streamText({
      model: midtoken("scripted/broken"),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    let text = "";
    for await (const delta of result.textStream) text += delta;
    expect(text).toBe("There was a");
    expect(errors).toHaveLength(1);
    expect(APICallError.isInstance(errors[0]) && errors[0].statusCode).toBe(422);
    expect(await result.finishReason).toBe("error");
  });

  test("ends with an abort part when it is aborted, and with it the request", async () => {
    const { midtoken, engine } = await setUp({ script: () => Array.from({ length: 2000 }, () => " on") });
    const controller = new AbortController();
    const result = streamText({ model: midtoken("scripted"), prompt, abortSignal: controller.signal });
    const types: string[] = [];
    for await (const part of result.fullStream) {
      types.push(part.type);
      if (part.type === "text-delta") controller.abort();
    }
    expect(types.at(-1)).toBe("abort");
    await expect.poll(() => engine.requests.list()[0]?.status).toMatch(/finished|failed/);
  });
});

describe("the model's own stream", () => {
  const endless = () => setUp({ script: () => Array.from({ length: 2000 }, () => " on") });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }];

  /** Reads the stream up to its first piece of text. */
  async function untilText(stream: ReadableStream<{ readonly type: string }>) {
    const reader = stream.getReader();
    for (;;) {
      const { value } = await reader.read();
      if (value?.type === "text-delta") return reader;
    }
  }

  test("fails with the reason of its signal", async () => {
    const { midtoken } = await endless();
    const controller = new AbortController();
    const { stream } = await midtoken("scripted").doStream({
      prompt: messages,
      abortSignal: controller.signal,
    });
    const reader = await untilText(stream);
    controller.abort(new Error("enough"));
    const rest = (async () => {
      while (!(await reader.read()).done);
    })();
    await expect(rest).rejects.toThrow("enough");
  });

  test("ends the request when nobody reads it any more", async () => {
    const { midtoken, engine } = await endless();
    const { stream } = await midtoken("scripted").doStream({ prompt: messages });
    const reader = await untilText(stream);
    await reader.cancel();
    await expect.poll(() => engine.requests.list()[0]?.status).toMatch(/finished|failed/);
    const last = engine.requests.records(engine.requests.list()[0]?.id ?? "").at(-1);
    expect(last).toMatchObject({ type: "finished", reason: "cancelled" });
  });
});

describe("the provider", () => {
  test("stands in a registry, and has no other models", async () => {
    const { midtoken } = await story();
    const registry = createProviderRegistry({ midtoken });
    const { text } = await generateText({ model: registry.languageModel("midtoken:scripted/max"), prompt });
    expect(text).toBe("There was a girl named Max. She smiled.");
    expect(() => midtoken.embeddingModel("scripted")).toThrow(
      'only language models, so there is no embeddingModel "scripted"',
    );
    expect(() => midtoken.imageModel("scripted")).toThrow(NoSuchModelError);
  });
});

describe("a chat without an API route", () => {
  test("streams answers, calls tools, and keeps what the mods did with the message", async () => {
    const { midtoken } = await setUp({
      script: (turns) => {
        const last = turns.at(-1);
        if (last?.role === "tool") return `She is ${last.text}.`;
        if (last?.text === "Who?") return "A girl named Lily.";
        return ['<tool_call>\n{"name": "age", "arguments": {"of": "Max"}}\n</tool_call>'];
      },
      vocabulary: [" Lily.", " Max."],
    });
    const age = tool({ inputSchema: z.object({ of: z.string() }), execute: async () => 7 });
    const agent = new ToolLoopAgent({ model: midtoken("scripted/max"), tools: { age } });
    const chat = new Chat({ transport: new DirectChatTransport({ agent }) });
    const textOf = () =>
      chat.messages.at(-1)?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    await chat.sendMessage({ text: "Who?" });
    expect(textOf()).toEqual(["A girl named Max."]);
    const part = chat.messages.at(-1)?.parts.find(({ type }) => type === "text");
    const metadata = readMidtokenMetadata(
      (part as { providerMetadata?: Record<string, unknown> }).providerMetadata,
    );
    expect(metadata?.interventions).toMatchObject([{ mod: "max", text: " Max." }]);
    await chat.sendMessage({ text: "How old?" });
    expect(textOf()).toEqual(["She is 7."]);
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(chat.error).toBeUndefined();
  });

  test("shows text while a mod that declares maxBacktrack may go back, and takes none of it back", async () => {
    const { midtoken } = await story();
    const shownWith = async (name: string) => {
      const agent = new ToolLoopAgent({ model: midtoken(`scripted/${name}`) });
      const chat = new Chat({ transport: new DirectChatTransport({ agent }) });
      const shown = new Set<string>();
      chat["~registerMessagesCallback"](() => {
        const parts = chat.lastMessage?.role === "assistant" ? chat.lastMessage.parts : [];
        for (const part of parts) if (part.type === "text" && part.text !== "") shown.add(part.text);
      });
      await chat.sendMessage({ text: prompt });
      return [...shown];
    };
    const whole = "There was a girl called Max. She smiled.";
    expect(await shownWith("back")).toEqual([whole]);
    const texts = await shownWith("back-two");
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.at(-1)).toBe(whole);
    expect(texts.filter((text) => !whole.startsWith(text))).toEqual([]);
  });
});
