/** OpenAI's own client: chat, responses, embeddings; streamed and not; tools and structured output. */
import OpenAI from "openai";
import { zodFunction, zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import {
  check,
  checkCity,
  checkText,
  instruct,
  joined,
  noInputPictures,
  noPictures,
  picture,
  prompt,
  question,
  story,
  weatherSchema,
} from "./cases.mjs";

const Weather = z.object({ city: z.enum(["Oslo", "Rome"]) });
const messages = [{ role: "user", content: prompt }];
const asked = [{ role: "user", content: question }];
const chat = { model: story, messages, max_tokens: 12, temperature: 0 };
const response = { model: story, input: prompt, max_output_tokens: 12, temperature: 0 };
const tooled = { model: instruct, messages: asked, temperature: 0, max_tokens: 60 };
const functionTool = { type: "function", name: "get_weather", parameters: weatherSchema, strict: true };

function clientOf({ baseURL, fetch }) {
  return new OpenAI({ apiKey: "none", baseURL, fetch, maxRetries: 0, dangerouslyAllowBrowser: true });
}

const chatCases = [
  {
    tried: "chat",
    run: async (context) => {
      const { choices } = await clientOf(context).chat.completions.create(chat);
      checkText(choices[0].message.content);
    },
  },
  {
    tried: "chat, streamed",
    run: async (context) => {
      const stream = await clientOf(context).chat.completions.create({ ...chat, stream: true });
      checkText(await joined(stream, ({ choices }) => choices[0]?.delta.content));
    },
  },
  {
    tried: "chat, two choices with log-probabilities and usage, streamed",
    run: async (context) => {
      const fields = { n: 2, logprobs: true, top_logprobs: 2, stream_options: { include_usage: true } };
      const stream = clientOf(context).chat.completions.stream({ ...chat, ...fields });
      const { choices, usage } = await stream.finalChatCompletion();
      check(choices.length === 2 && choices[1].logprobs.content.length > 0, "two choices");
      check(usage.completion_tokens > 0, "usage");
    },
  },
  {
    tried: "tools, and the answer to the tool's result",
    model: instruct,
    run: async (context) => {
      const request = { ...tooled, tools: [zodFunction({ name: "get_weather", parameters: Weather })] };
      const calls = clientOf(context).chat.completions;
      const { choices } = await calls.parse({
        ...request,
        tool_choice: "required",
        parallel_tool_calls: false,
      });
      const [call] = choices[0].message.tool_calls;
      checkCity(call.function.parsed_arguments);
      const result = { role: "tool", tool_call_id: call.id, content: "It rains." };
      const answered = await calls.create({
        ...request,
        messages: [...asked, choices[0].message, result],
        tool_choice: "none",
      });
      checkText(answered.choices[0].message.content);
    },
  },
  {
    tried: "tools, streamed",
    model: instruct,
    run: async (context) => {
      const tools = [zodFunction({ name: "get_weather", parameters: Weather })];
      const request = { ...tooled, tools, tool_choice: "required", parallel_tool_calls: false };
      const message = await clientOf(context).chat.completions.stream(request).finalMessage();
      checkCity(JSON.parse(message.tool_calls[0].function.arguments));
    },
  },
  {
    tried: "structured output",
    model: instruct,
    run: async (context) => {
      const request = { ...tooled, response_format: zodResponseFormat(Weather, "weather") };
      const { choices } = await clientOf(context).chat.completions.parse(request);
      checkCity(choices[0].message.parsed);
    },
  },
  {
    tried: "a picture in a chat call",
    refused: noPictures,
    run: (context) => {
      const content = [{ type: "image_url", image_url: { url: picture } }];
      return clientOf(context).chat.completions.create({ ...chat, messages: [{ role: "user", content }] });
    },
  },
];

const responseCases = [
  {
    tried: "a response, and one that goes on from it",
    run: async (context) => {
      const { responses } = clientOf(context);
      const first = await responses.create(response);
      checkText(first.output_text);
      const next = { ...response, previous_response_id: first.id, input: "And then?" };
      checkText((await responses.create(next)).output_text);
    },
  },
  {
    tried: "a response, streamed",
    run: async (context) => {
      const { output_text } = await clientOf(context).responses.stream(response).finalResponse();
      checkText(output_text);
    },
  },
  {
    tried: "a response with tools, streamed",
    model: instruct,
    run: async (context) => {
      const { output } = await clientOf(context)
        .responses.stream({
          model: instruct,
          input: question,
          tools: [functionTool],
          tool_choice: "required",
          parallel_tool_calls: false,
          temperature: 0,
          max_output_tokens: 60,
        })
        .finalResponse();
      checkCity(JSON.parse(output.find(({ type }) => type === "function_call").arguments));
    },
  },
  {
    tried: "a response with structured output",
    model: instruct,
    run: async (context) => {
      const text = { format: zodTextFormat(Weather, "weather") };
      const request = { model: instruct, input: question, temperature: 0, max_output_tokens: 60, text };
      checkCity((await clientOf(context).responses.parse(request)).output_parsed);
    },
  },
  {
    tried: "a picture in a response",
    refused: noInputPictures,
    run: (context) => {
      const content = [{ type: "input_image", image_url: picture, detail: "auto" }];
      return clientOf(context).responses.create({ ...response, input: [{ role: "user", content }] });
    },
  },
  {
    tried: "search in the web",
    refused: /tools\[0\]\.type is "web_search"/,
    run: (context) => clientOf(context).responses.create({ ...response, tools: [{ type: "web_search" }] }),
  },
];

export const cases = [
  ...chatCases,
  ...responseCases,
  {
    tried: "embeddings",
    run: async (context) => {
      const input = ["A cat.", "A dog."];
      const { data } = await clientOf(context).embeddings.create({ model: story, input });
      check(data.length === 2 && data[0].embedding.length > 8, "two vectors");
    },
  },
  {
    tried: "models",
    run: async (context) => {
      const { data } = await clientOf(context).models.list();
      check(
        data.some(({ id }) => id === story),
        `${story} among the models`,
      );
    },
  },
];
