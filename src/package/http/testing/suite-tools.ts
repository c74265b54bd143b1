/** Cases of the suite of OpenAI's client: tools, tool results, and structured output with its helpers for zod. */

import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check, collectValues } from "./suite-check.ts";

const Weather = z.object({ city: z.enum(["Oslo", "Rome"]), unit: z.enum(["celsius", "fahrenheit"]) });
const Animal = z.object({
  kind: z.enum(["cat", "dog", "bird"]),
  tame: z.boolean(),
  legs: z.enum(["two", "four"]),
});

const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      strict: true,
      parameters: {
        type: "object",
        required: ["city"],
        additionalProperties: false,
        properties: { city: { enum: ["Oslo", "Rome"] } },
      },
    },
  },
];
const question: ChatCompletionMessageParam[] = [{ role: "user", content: "What is the weather in Oslo?" }];

export const toolCases: readonly SuiteCase[] = [
  {
    name: "tools: a call that must come, whole and streamed, and the answer after the tool's",
    async run({ client, model }) {
      const request = {
        model,
        tools,
        tool_choice: "required" as const,
        temperature: 0,
        seed: 1,
        max_tokens: 80,
      };
      const asked = { ...request, messages: question, parallel_tool_calls: false };
      const { choices } = await client.chat.completions.create(asked);
      const message = choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      check(message !== undefined && call?.type === "function", "a call of a function");
      assertEqualJson(
        [choices[0]?.finish_reason, message.content],
        ["tool_calls", null],
        "reason and content",
      );
      const { city } = JSON.parse(call.function.arguments) as { city: string };
      check(
        ["Oslo", "Rome"].includes(city) && call.function.name === "get_weather",
        "a call as the tool says",
      );

      const stream = client.chat.completions.stream(asked);
      const streamed = (await stream.finalMessage()).tool_calls?.[0];
      check(streamed?.type === "function", "a streamed call");
      assertEqualJson(
        [streamed.id, streamed.function.name, streamed.function.arguments],
        [call.id, call.function.name, call.function.arguments],
        "the streamed call",
      );

      const answered = await client.chat.completions.create({
        ...request,
        tool_choice: "none",
        max_tokens: 8,
        messages: [...question, message, { role: "tool", tool_call_id: call.id, content: "Rain." }],
      });
      const [end] = answered.choices;
      assertEqualJson(
        [end?.finish_reason, end?.message.tool_calls],
        ["length", undefined],
        "a text as the answer",
      );
      check((end?.message.content ?? "") !== "", "some text");
    },
  },
  {
    name: "tools: one by its name, with arguments that zod reads",
    async run({ client, model }) {
      const completion = await client.chat.completions.parse({
        model,
        messages: question,
        temperature: 0,
        max_tokens: 120,
        parallel_tool_calls: false,
        tools: [zodFunction({ name: "weather", parameters: Weather })],
        tool_choice: { type: "function", function: { name: "weather" } },
      });
      const [call] = completion.choices[0]?.message.tool_calls ?? [];
      check(call?.type === "function", "a call");
      const read = Weather.safeParse(call.function.parsed_arguments);
      check(read.success, "arguments as the schema has them");
    },
  },
  {
    name: "tools: the client runs them itself",
    async run({ client, model }) {
      const heard: unknown[] = [];
      const runner = client.chat.completions.runTools({
        model,
        messages: question,
        temperature: 0,
        max_tokens: 120,
        parallel_tool_calls: false,
        tools: [
          zodFunction({
            name: "weather",
            parameters: Weather,
            function(value) {
              heard.push(value);
              return "Rain.";
            },
          }),
        ],
        tool_choice: { type: "function", function: { name: "weather" } },
      });
      await runner.done();
      assertEqualJson(heard.length, 1, "calls of the function");
      check(Weather.safeParse(heard[0]).success, "arguments as the schema has them");
    },
  },
  {
    name: "structured output: zod's schema is kept to, and read",
    async run({ client, model }) {
      const request = {
        model,
        messages: question,
        temperature: 1,
        max_tokens: 120,
        response_format: zodResponseFormat(Animal, "animal"),
      };
      for (const seed of [1, 2, 3]) {
        const { choices } = await client.chat.completions.parse({ ...request, seed });
        const { parsed, content } = choices[0]?.message ?? {};
        check(Animal.safeParse(parsed).success, `an animal, not ${content}`);
        assertEqualJson(choices[0]?.finish_reason, "stop", "the reason");
      }
      const streamed = await client.chat.completions.stream({ ...request, seed: 1 }).finalChatCompletion();
      check(Animal.safeParse(streamed.choices[0]?.message.parsed).success, "a streamed animal");
    },
  },
  {
    name: "structured output: any JSON object",
    async run({ client, model }) {
      const chunks = await collectValues(
        await client.chat.completions.create({
          model,
          messages: question,
          temperature: 0,
          max_tokens: 60,
          stream: true,
          response_format: { type: "json_object" },
        }),
      );
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
      const reason = chunks.at(-1)?.choices[0]?.finish_reason;
      check(text.trimStart().startsWith("{"), `an object, not ${text}`);
      if (reason === "stop") JSON.parse(text);
    },
  },
];
