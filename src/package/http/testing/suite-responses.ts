/** Cases of the suite of OpenAI's client: responses, complete, streamed and stored. */
import { APIError, NotFoundError } from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { z } from "zod";
import type { SuiteCase } from "./suite-case.ts";
import { assertEqualJson, check, collectValues, expectThrown } from "./suite-check.ts";

/** OpenAI's type of an output item has kinds that its type of an input item lacks. */
const sentBack = (items: ResponseOutputItem[]) => items as ResponseInputItem[];

const greedy = { input: "Once upon a time", temperature: 0, max_output_tokens: 12 };
const question = "What is the weather in Oslo?";
const Weather = z.object({ city: z.enum(["Oslo", "Rome"]), unit: z.enum(["celsius", "fahrenheit"]) });
const Animal = z.object({ kind: z.enum(["cat", "dog", "bird"]), tame: z.boolean() });

const weatherTool = {
  type: "function" as const,
  name: "get_weather",
  strict: true,
  parameters: {
    type: "object",
    required: ["city"],
    additionalProperties: false,
    properties: { city: { enum: ["Oslo", "Rome"] } },
  },
};

export const responseCases: readonly SuiteCase[] = [
  {
    name: "responses: an answer with its usage, as the chat call gives it",
    async run({ client, model }) {
      const response = await client.responses.create({ ...greedy, model, metadata: { a: "b" }, user: "Ada" });
      const chat = await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: greedy.input }],
        temperature: 0,
        max_tokens: 12,
      });
      assertEqualJson(response.output_text, chat.choices[0]?.message.content, "the text");
      const { input_tokens = 0, output_tokens, total_tokens } = response.usage ?? {};
      assertEqualJson([output_tokens, total_tokens], [12, input_tokens + 12], "the usage");
      assertEqualJson(response.usage?.input_tokens, chat.usage?.prompt_tokens, "the tokens of the input");
      assertEqualJson(
        [response.object, response.model, response.metadata],
        ["response", model, { a: "b" }],
        "fields",
      );
      assertEqualJson(
        [response.status, response.incomplete_details?.reason],
        ["incomplete", "max_output_tokens"],
        "what is said of its end",
      );
      check(response._request_id?.startsWith("request-") === true, "the id of the request");
    },
  },
  {
    name: "responses: a stream has OpenAI's events in their order, and ends with the same answer",
    async run({ client, model }) {
      const whole = await client.responses.create({ ...greedy, model, store: false });
      const events = await collectValues(
        await client.responses.create({ ...greedy, model, stream: true, store: false }),
      );
      assertEqualJson(
        events.map((event) => event.sequence_number),
        events.map((_, place) => place),
        "the sequence numbers",
      );
      const types = events.map(({ type }) => type);
      const others = types.filter((type) => type !== "response.output_text.delta");
      assertEqualJson(
        others,
        [
          "response.created",
          "response.in_progress",
          "response.output_item.added",
          "response.content_part.added",
          "response.output_text.done",
          "response.content_part.done",
          "response.output_item.done",
          "response.incomplete",
        ],
        "the events beside the text",
      );
      check(types.length - others.length > 6, "several pieces of text");
      const text = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : ""));
      assertEqualJson(text.join(""), whole.output_text, "the streamed text");
      const last = events.at(-1);
      check(last?.type === "response.incomplete", "an event that says it is cut");
      assertEqualJson(last.response.output_text, whole.output_text, "the text of the last event");
      assertEqualJson(last.response.usage?.output_tokens, 12, "the usage of the last event");
    },
  },
  {
    name: "responses: the client's own collecting of a stream",
    async run({ client, model }) {
      // A field that OpenAI's types do not contain.
      const own = { stop: ["Lily"] };
      const stream = client.responses.stream({ ...greedy, model, ...own });
      let text = "";
      stream.on("response.output_text.delta", ({ delta }) => {
        text += delta;
      });
      const response = await stream.finalResponse();
      assertEqualJson(response.status, "completed", "the status");
      assertEqualJson(
        [text, response.output_text],
        Array(2).fill(", there was a little girl named "),
        "the texts",
      );
      assertEqualJson(
        response.output.map(({ type }) => type),
        ["message"],
        "the items",
      );
    },
  },
  {
    name: "responses: items, instructions and log-probabilities",
    async run({ client, model }) {
      const response = await client.responses.create({
        model,
        instructions: "Once upon",
        input: [
          { role: "user", content: [{ type: "input_text", text: " a" }] },
          { role: "assistant", content: " time" },
        ],
        temperature: 0,
        max_output_tokens: 4,
        include: ["message.output_text.logprobs"],
        top_logprobs: 2,
      });
      const [item] = response.output;
      const [part] = item?.type === "message" ? item.content : [];
      check(part?.type === "output_text", "a text");
      assertEqualJson(part.logprobs?.map(({ token }) => token).join(""), part.text, "the tokens' text");
      assertEqualJson(
        part.logprobs?.map(({ top_logprobs: top }) => top.length),
        [2, 2, 2, 2],
        "the most probable",
      );
    },
  },
  {
    name: "responses: a function call whole and streamed, and the answer after its output",
    async run({ client, model }) {
      const request = {
        model,
        tools: [weatherTool],
        tool_choice: "required" as const,
        parallel_tool_calls: false,
        temperature: 0,
        max_output_tokens: 80,
      };
      const asked = await client.responses.create({ ...request, input: question });
      const [call] = asked.output;
      assertEqualJson(asked.output.length, 1, "the number of items");
      check(call?.type === "function_call" && call.name === "get_weather", "a call of the function");
      const { city } = JSON.parse(call.arguments) as { city: string };
      check(["Oslo", "Rome"].includes(city), "arguments as the schema has them");

      const events = await collectValues(
        await client.responses.create({ ...request, input: question, stream: true }),
      );
      const pieces = events.flatMap((event) =>
        event.type === "response.function_call_arguments.delta" ? [event.delta] : [],
      );
      assertEqualJson(pieces.join(""), call.arguments, "the streamed arguments");
      const done = events.find(({ type }) => type === "response.function_call_arguments.done");
      check(done?.type === "response.function_call_arguments.done", "an event for the whole arguments");
      assertEqualJson(done.arguments, call.arguments, "the whole arguments");
      const collected = await client.responses.stream({ ...request, input: question }).finalResponse();
      const [streamed] = collected.output;
      check(streamed?.type === "function_call", "a collected call");
      assertEqualJson([streamed.name, streamed.arguments], [call.name, call.arguments], "the collected call");

      const output = { type: "function_call_output" as const, call_id: call.call_id, output: "Rain." };
      const rest = { ...request, tool_choice: "none" as const, max_output_tokens: 8 };
      const after = await client.responses.create({
        ...rest,
        previous_response_id: asked.id,
        input: [output],
      });
      const again = await client.responses.create({
        ...rest,
        // The client's own items are sent back unchanged.
        input: [{ role: "user", content: question }, ...sentBack(asked.output), output],
      });
      check(after.output_text !== "", "some text");
      assertEqualJson(again.output_text, after.output_text, "the answer without previous_response_id");
    },
  },
  {
    name: "responses: structured output and function arguments that zod reads",
    async run({ client, model }) {
      const request = { model, input: question, temperature: 0, max_output_tokens: 120 };
      const format = zodTextFormat(Animal, "animal");
      const parsed = await client.responses.parse({ ...request, text: { format } });
      check(Animal.safeParse(parsed.output_parsed).success, `an animal, not ${parsed.output_text}`);
      const streamed = await client.responses.stream({ ...request, text: { format } }).finalResponse();
      assertEqualJson(streamed.output_parsed, parsed.output_parsed, "the streamed animal");
      const called = await client.responses.parse({
        ...request,
        tools: [zodResponsesFunction({ name: "weather", parameters: Weather })],
        tool_choice: { type: "function", name: "weather" },
        parallel_tool_calls: false,
      });
      const [call] = called.output;
      check(call?.type === "function_call", "a call");
      check(Weather.safeParse(call.parsed_arguments).success, "arguments as the schema has them");
      const object = await client.responses.create({ ...request, text: { format: { type: "json_object" } } });
      check(object.output_text.trimStart().startsWith("{"), `an object, not ${object.output_text}`);
    },
  },
  {
    name: "responses: a stored one goes on, is looked up with its items, and deleted",
    async run({ client, model }) {
      const first = await client.responses.create({ ...greedy, model });
      const found = await client.responses.retrieve(first.id);
      assertEqualJson([found.id, found.output_text], [first.id, first.output_text], "the stored response");
      const items = await collectValues(client.responses.inputItems.list(first.id));
      assertEqualJson(
        items.map((item) => (item.type === "message" ? item.content : [])),
        [[{ type: "input_text", text: greedy.input }]],
        "the items of its input",
      );
      const next = { model, temperature: 0, max_output_tokens: 6, input: " And" };
      const second = await client.responses.create({ ...next, previous_response_id: first.id });
      const whole = await client.responses.create({
        ...next,
        input: [
          { role: "user", content: greedy.input },
          ...sentBack(first.output),
          { role: "user", content: next.input },
        ],
      });
      assertEqualJson(second.output_text, whole.output_text, "the answer to the whole conversation");
      assertEqualJson(second.previous_response_id, first.id, "what the response says of it");
      await client.responses.delete(first.id);
      await expectThrown(() => client.responses.retrieve(first.id), NotFoundError);
      const gone = await expectThrown(
        () => client.responses.create({ ...next, previous_response_id: first.id }),
        APIError,
      );
      assertEqualJson([gone.status, gone.param], [400, "previous_response_id"], "status and field");
      const unkept = await client.responses.create({ ...greedy, model, store: false });
      await expectThrown(() => client.responses.retrieve(unkept.id), NotFoundError);
    },
  },
  {
    name: "responses: mods in the model string, and a mod that fails",
    async run({ client, model, mods }) {
      const request = { ...greedy, max_output_tokens: 30 };
      const kept = await client.responses.create({ ...request, model: `${model}/${mods.noLily}` });
      check(!kept.output_text.includes("Lily"), "no Lily");
      const both = { ...request, model: `${model}/${mods.noLily},${mods.removesText}` };
      const whole = await client.responses.create(both);
      check(whole.output_text.includes(" dragon"), "a dragon");
      const streamed = await client.responses.stream(both).finalResponse();
      assertEqualJson(streamed.output_text, whole.output_text, "the streamed text");
      // Fields that OpenAI's types do not contain.
      const retracting = { ...both, midtoken: { retract: true } };
      const mended = await client.responses.stream(retracting).finalResponse();
      assertEqualJson(mended.output_text, whole.output_text, "the text that was mended");

      const broken = { ...request, model: `${model}/${mods.broken}` };
      const error = await expectThrown(() => client.responses.create(broken), APIError);
      assertEqualJson([error.status, error.code], [422, "mod_failed"], "status and code");
      const failing = { ...broken, midtoken: { holdback: 0 } };
      const failed = await client.responses.stream(failing).finalResponse();
      assertEqualJson(
        [failed.status, failed.error?.code],
        ["failed", "server_error"],
        "what the stream ends with",
      );
      check(failed.error?.message.includes(mods.broken) === true, "a message that names the mod");
      check(failed.output_text !== "", "some text before it");
    },
  },
  {
    name: "responses: an input that is longer than the context, and one that is far longer",
    async run({ client, model }) {
      for (const count of [400, 300_000]) {
        const input = "Once upon a time. ".repeat(count);
        const error = await expectThrown(() => client.responses.create({ model, input }), APIError);
        assertEqualJson(
          [error.status, error.code, error.param],
          [400, "context_length_exceeded", "input"],
          "status, code and field",
        );
      }
    },
  },
];
