/**
 * Cases that run the real `ai` package on an engine with a real model. No case depends on the model's text. They run in Node
 * with the bundled model, and in Chromium in the package bench.
 */
import { Chat } from "@ai-sdk/react";
import {
  APICallError,
  DirectChatTransport,
  generateText,
  NoSuchModelError,
  Output,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from "ai";
import { z } from "zod";
import { mod } from "../../../core/sdk/mod.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { createMidtoken, readMidtokenMetadata } from "../index.ts";

export interface AiSdkTestCase {
  readonly name: string;
  /** `model`: id of the loaded model. Rejects if a result is wrong. */
  run(engine: MidtokenEngine, model: string): Promise<void>;
}

const prompt = "Once upon a time there was a";
const greedy = { prompt, temperature: 0, maxOutputTokens: 12 } as const;
const sampled = { prompt, temperature: 1, maxOutputTokens: 12 } as const;

function check(isRight: boolean, what: string, found: unknown): asserts isRight {
  if (!isRight) throw new Error(`${what}: ${JSON.stringify(found)}`);
}

const same = (found: unknown, expected: unknown, what: string) =>
  check(
    JSON.stringify(found) === JSON.stringify(expected),
    `${what}, not ${JSON.stringify(expected)}`,
    found,
  );

async function failure(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call did not fail.");
}

/** Inserts a word after three tokens. */
const forcing = mod({
  added: ({ step }, actions) => (step === 3 ? actions.forceTokens(" purple") : undefined),
});
/** Removes three tokens, once. */
const takingBack = mod({
  added: ({ step, output }, actions) =>
    step > 4 && !output.text.includes("silver") ? actions.backtrack(3, " silver") : undefined,
});

const modsNamed = (engine: MidtokenEngine) => {
  engine.mods.registerTrusted(forcing, { name: "forcing" });
  engine.mods.registerTrusted(takingBack, { name: "taking-back" });
};

const traceText = async (engine: MidtokenEngine, id = "") => {
  const last = (await engine.requests.trace(id)).records.at(-1);
  return last?.type === "finished" ? last.text : null;
};

export const aiSdkTestCases: readonly AiSdkTestCase[] = [
  {
    name: "generateText: text, usage, finish reason",
    async run(engine, id) {
      const { text, usage, finishReason } = await generateText({
        model: createMidtoken(engine)(id),
        ...greedy,
      });
      check(text.trim() !== "", "there is a text", text);
      same(finishReason, "length", "it ended at its limit");
      same(usage.outputTokens, 12, "tokens of the answer");
      const { cacheReadTokens = -1, noCacheTokens = -1 } = usage.inputTokenDetails;
      same(cacheReadTokens + noCacheTokens, usage.inputTokens, "tokens of the prompt");
    },
  },
  {
    name: "streamText says what generateText says",
    async run(engine, id) {
      const model = createMidtoken(engine)(id);
      const { text } = await generateText({ model, ...greedy });
      let streamed = "";
      for await (const delta of streamText({ model, ...greedy }).textStream) streamed += delta;
      same(streamed, text, "the streamed text");
    },
  },
  {
    name: "seeds",
    async run(engine, id) {
      const model = createMidtoken(engine)(id);
      const texts = await Promise.all(
        [1, 1, 2].map(async (seed) => (await generateText({ model, ...sampled, seed })).text),
      );
      same(texts[1], texts[0], "the same seed");
      check(texts[2] !== texts[0], "another seed says something else", texts);
    },
  },
  {
    name: "stop sequences",
    async run(engine, id) {
      const model = createMidtoken(engine)(id);
      const whole = (await generateText({ model, ...greedy })).text;
      const stop = whole.slice(4, 8);
      const { text, finishReason } = await generateText({ model, ...greedy, stopSequences: [stop] });
      same(
        [text, finishReason],
        [whole.slice(0, whole.indexOf(stop)), "stop"],
        "what stands before the stop sequence",
      );
    },
  },
  {
    name: "structured output: an object, a list, a choice",
    async run(engine, id) {
      const model = createMidtoken(engine)(id);
      const limits = { prompt, temperature: 0, maxOutputTokens: 120 };
      const schema = z.object({
        name: z.string().max(12),
        age: z.number().int().min(0).max(99),
        kind: z.enum(["cat", "dog"]),
        isGood: z.boolean(),
      });
      const object = (await generateText({ model, ...limits, output: Output.object({ schema }) })).output;
      check(schema.safeParse(object).success, "an object of the schema", object);
      const element = z.enum(["red", "blue"]);
      const list = (await generateText({ model, ...limits, output: Output.array({ element, maxItems: 3 }) }))
        .output;
      check(z.array(element).safeParse(list).success, "a list of the elements", list);
      const options = ["sunny", "rainy"];
      const choice = (await generateText({ model, ...limits, output: Output.choice({ options }) })).output;
      check(options.includes(choice), "one of the options", choice);
    },
  },
  {
    name: "tools, in steps",
    async run(engine, id) {
      const asked: unknown[] = [];
      const weather = tool({
        description: "The weather in a city",
        inputSchema: z.object({ city: z.enum(["Paris", "Rome"]) }),
        execute: async (input) => {
          asked.push(input);
          return { sky: "sunny" };
        },
      });
      const { steps } = await generateText({
        model: createMidtoken(engine)(id),
        prompt: "What is the weather?",
        temperature: 0,
        maxOutputTokens: 100,
        tools: { weather },
        stopWhen: stepCountIs(2),
        // A small model would go on calling tools, so it may not after the first step.
        providerOptions: { midtoken: { parallelToolCalls: false } },
        prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? "required" : "none" }),
      });
      same(steps.length, 2, "steps");
      same([steps[0]?.finishReason, steps[0]?.toolCalls.length], ["tool-calls", 1], "the first step");
      same(steps[0]?.toolResults[0]?.output, { sky: "sunny" }, "the tool's result");
      same(asked.length, 1, "the tool was asked");
      check((steps[1]?.toolCalls.length ?? 1) === 0, "the second step calls nothing", steps[1]?.toolCalls);
    },
  },
  {
    name: "what mods did goes along, and the text is the trace's",
    async run(engine, id) {
      modsNamed(engine);
      const model = createMidtoken(engine)(`${id}/forcing,taking-back`);
      const result = streamText({ model, ...greedy });
      let text = "";
      for await (const delta of result.textStream) text += delta;
      const metadata = readMidtokenMetadata(await result.providerMetadata);
      same(text, await traceText(engine, metadata?.requestId), "the streamed text");
      const kinds = metadata?.interventions.map(({ mod: name, kind }) => `${name} ${kind}`) ?? [];
      check(kinds.includes("forcing forceTokens"), "the forced word is told", kinds);
      check(kinds.includes("taking-back backtrack"), "what was taken back is told", kinds);
    },
  },
  {
    name: "aborting a stream ends its request",
    async run(engine, id) {
      const controller = new AbortController();
      const model = createMidtoken(engine)(id);
      const call = { ...sampled, maxOutputTokens: 400, abortSignal: controller.signal };
      let last = "";
      for await (const part of streamText({ model, ...call }).fullStream) {
        last = part.type;
        if (part.type === "text-delta") controller.abort();
      }
      same(last, "abort", "the last part");
      const { text } = await generateText({ model, ...greedy });
      check(text !== "", "the next request runs", text);
    },
  },
  {
    name: "errors are those of the AI SDK",
    async run(engine, id) {
      const midtoken = createMidtoken(engine);
      const none = await failure(generateText({ model: midtoken("nobody/nothing"), prompt, maxRetries: 0 }));
      check(NoSuchModelError.isInstance(none), "a model that is not there", String(none));
      const cold = await failure(generateText({ model: midtoken(id), prompt, topP: 3, maxRetries: 0 }));
      check(APICallError.isInstance(cold) && cold.statusCode === 400, "a wrong field", String(cold));
    },
  },
  {
    name: "log-probabilities",
    async run(engine, id) {
      const options = { midtoken: { logprobs: 2 } };
      const { providerMetadata } = await generateText({
        model: createMidtoken(engine)(id),
        ...greedy,
        providerOptions: options,
      });
      const logprobs = readMidtokenMetadata(providerMetadata)?.logprobs ?? [];
      same(logprobs.length, 12, "one of each token");
      const odd = logprobs.find(
        ({ logprob, top_logprobs: top }) => logprob !== top[0]?.logprob || top.length !== 2,
      );
      same(odd, undefined, "the most likely token was taken");
    },
  },
  {
    name: "a chat without an API route",
    async run(engine, id) {
      modsNamed(engine);
      const agent = new ToolLoopAgent({
        model: createMidtoken(engine)(`${id}/forcing`),
        temperature: 0,
        maxOutputTokens: 8,
      });
      const chat = new Chat({ transport: new DirectChatTransport({ agent }) });
      await chat.sendMessage({ text: prompt });
      await chat.sendMessage({ text: "And then?" });
      same(chat.error, undefined, "an error");
      same(chat.messages.length, 4, "messages");
      const texts = chat.messages.at(-1)?.parts.flatMap((part) => (part.type === "text" ? [part] : []));
      check(texts?.[0]?.text.includes(" purple") === true, "the forced word is in the answer", texts);
      const metadata = readMidtokenMetadata(texts[0]?.providerMetadata);
      same(metadata?.interventions[0]?.mod, "forcing", "who put it there");
    },
  },
];
