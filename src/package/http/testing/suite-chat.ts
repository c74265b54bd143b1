/** Cases of the suite of OpenAI's client on an instruct model: its chat template, free texts in tools and schemas. */
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check } from "./suite-check.ts";
import { cosine } from "./suite-embeddings.ts";

const Person = z.object({ name: z.string(), age: z.number().int() });
const Place = z.object({ city: z.string() });

const say = (content: string): ChatCompletionMessageParam[] => [{ role: "user", content }];

export const chatCases: readonly SuiteCase[] = [
  {
    name: "instruct: an answer, and the same one streamed",
    async run({ client, model }) {
      const messages: ChatCompletionMessageParam[] = [
        { role: "system", content: "Answer in one short sentence." },
        ...say("What is the capital of France?"),
      ];
      const request = { model, messages, temperature: 0, max_tokens: 12 };
      const { choices } = await client.chat.completions.create(request);
      check(choices[0]?.message.content?.includes("Paris") === true, "Paris");
      const streamed = await client.chat.completions.stream(request).finalContent();
      assertEqualJson(streamed, choices[0]?.message.content, "the streamed answer");
    },
  },
  {
    name: "instruct: a schema of zod's with free texts",
    async run({ client, model }) {
      const { choices } = await client.chat.completions.parse({
        model,
        messages: say("Anna is 31 years old. Who is it?"),
        temperature: 0,
        max_tokens: 40,
        response_format: zodResponseFormat(Person, "person"),
      });
      assertEqualJson(Person.parse(choices[0]?.message.parsed), { name: "Anna", age: 31 }, "the person");
    },
  },
  {
    name: "instruct: a tool with a free text, its answer, and what is said of it",
    async run({ client, model }) {
      const messages = say("How is the weather in Oslo?");
      const tools = [zodFunction({ name: "get_weather", parameters: Place })];
      const request = { model, tools, temperature: 0, max_tokens: 40, parallel_tool_calls: false };
      const asked = await client.chat.completions.parse({ ...request, messages, tool_choice: "required" });
      const [choice] = asked.choices;
      const [call] = choice?.message.tool_calls ?? [];
      check(choice !== undefined && call?.type === "function", "a call");
      assertEqualJson(
        [choice.finish_reason, call.function.name],
        ["tool_calls", "get_weather"],
        "reason and name",
      );
      check(Place.safeParse(call.function.parsed_arguments).success, "a city");
      const answered = await client.chat.completions.create({
        ...request,
        max_tokens: 8,
        tool_choice: "none",
        // The client's own message, with the parsed call, is sent back unchanged.
        messages: [
          ...messages,
          choice.message,
          { role: "tool", tool_call_id: call.id, content: "It rains." },
        ],
      });
      check((answered.choices[0]?.message.content ?? "") !== "", "some text");
    },
  },
  {
    name: "instruct: embeddings of texts that say the same are nearest",
    async run({ client, model }) {
      const pairs = [
        ["How do I reset my password?", "I forgot my login credentials and need to change them."],
        ["It will rain in London tomorrow.", "The weather forecast for the UK capital predicts showers."],
        ["Stock markets fell sharply today.", "Shares dropped on Wall Street this afternoon."],
        ["He plays the guitar in a band.", "She is a musician who performs on a string instrument."],
      ];
      const { data } = await client.embeddings.create({ model, input: pairs.flat() });
      const vectors = data.map(({ embedding }) => [...embedding]);
      for (const [at, vector] of vectors.entries()) {
        const likeness = vectors.map((other, place) => (place === at ? -1 : cosine(vector, other)));
        // The texts are pairs with similar meaning: 0 and 1, 2 and 3.
        assertEqualJson(
          likeness.indexOf(Math.max(...likeness)),
          at ^ 1,
          `the text nearest to ${pairs.flat()[at]}`,
        );
      }
    },
  },
  {
    name: "instruct: a response, streamed, and one that goes on",
    async run({ client, model }) {
      const request = { model, temperature: 0, max_output_tokens: 16 };
      const first = await client.responses.create({
        ...request,
        instructions: "Answer in one short sentence.",
        input: "What is the capital of France?",
      });
      check(first.output_text.includes("Paris"), "Paris");
      const next = { ...request, previous_response_id: first.id, input: "And of Italy?" };
      const second = await client.responses.create(next);
      const streamed = await client.responses.stream(next).finalResponse();
      assertEqualJson(streamed.output_text, second.output_text, "the streamed answer");
    },
  },
];
