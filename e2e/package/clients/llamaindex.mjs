/** LlamaIndex TS: its language model over chat calls and over responses, and its embeddings. */

import { tool } from "@llamaindex/core/tools";
import { OpenAI, OpenAIEmbedding, OpenAIResponses } from "@llamaindex/openai";
import { z } from "zod";
import {
  check,
  checkCity,
  checkText,
  instruct,
  joined,
  noPictures,
  picture,
  prompt,
  question,
  story,
} from "./cases.mjs";

const Weather = z.object({ city: z.enum(["Oslo", "Rome"]) });
const weather = tool({
  name: "get_weather",
  description: "The weather in a city",
  parameters: Weather,
  execute: () => "It rains.",
});
const messages = [{ role: "user", content: prompt }];
const asked = [{ role: "user", content: question }];

function optionsOf({ baseURL, fetch }, model) {
  const maxTokens = model === story ? 12 : 60;
  const base = { apiKey: "none", model, temperature: 0, maxRetries: 0 };
  return { ...base, maxTokens, maxOutputTokens: maxTokens, baseURL, additionalSessionOptions: { fetch } };
}

const chatModel = (context, model = story, fields = {}) =>
  new OpenAI({ ...optionsOf(context, model), ...fields });
const responsesModel = (context, model = story, fields = {}) =>
  new OpenAIResponses({ ...optionsOf(context, model), ...fields });

function casesOf(named, modelOf, required) {
  return [
    {
      tried: `${named}: a text`,
      run: async (context) => checkText((await modelOf(context).chat({ messages })).message.content),
    },
    {
      tried: `${named}: a text, streamed`,
      run: async (context) => {
        const stream = await modelOf(context).chat({ messages, stream: true });
        checkText(await joined(stream, ({ delta }) => delta));
      },
    },
    {
      tried: `${named}: tools`,
      model: instruct,
      run: async (context) => {
        const model = modelOf(context, instruct, { additionalChatOptions: required });
        const { message } = await model.chat({ messages: asked, tools: [weather] });
        const { input } = message.options.toolCall[0];
        checkCity(typeof input === "string" ? JSON.parse(input) : input);
      },
    },
    {
      tried: `${named}: tools, streamed`,
      model: instruct,
      run: async (context) => {
        const model = modelOf(context, instruct, { additionalChatOptions: required });
        let calls;
        for await (const { options } of await model.chat({ messages: asked, tools: [weather], stream: true }))
          calls = options?.toolCall ?? calls;
        const { input } = calls[0];
        checkCity(typeof input === "string" ? JSON.parse(input) : input);
      },
    },
  ];
}

export const cases = [
  ...casesOf("chat", chatModel, { tool_choice: "required", parallel_tool_calls: false }),
  {
    tried: "chat: structured output",
    model: instruct,
    run: async (context) => {
      const answer = await chatModel(context, instruct).chat({ messages: asked, responseFormat: Weather });
      checkCity(JSON.parse(answer.message.content));
    },
  },
  ...casesOf("responses", responsesModel, { tool_choice: "required", parallel_tool_calls: false }),
  {
    tried: "embeddings",
    run: async (context) => {
      const { baseURL, fetch } = context;
      const base = { apiKey: "none", model: story, maxRetries: 0, baseURL };
      const embedding = new OpenAIEmbedding({ ...base, additionalSessionOptions: { fetch } });
      const vectors = await embedding.getTextEmbeddings(["A cat.", "A dog."]);
      check(vectors.length === 2 && vectors[0].length > 8, "two vectors");
    },
  },
  {
    tried: "a picture",
    refused: noPictures,
    run: (context) => {
      const content = [{ type: "image_url", image_url: { url: picture } }];
      return chatModel(context).chat({ messages: [{ role: "user", content }] });
    },
  },
];
