/** LangChain JS: its chat model over chat calls and over responses, and its embeddings. */

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
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
const weather = tool(async () => "It rains.", {
  name: "get_weather",
  description: "The weather in a city",
  schema: Weather,
});

/** By its name: over responses LangChain does not send "required". */
const byName = { tool_choice: "get_weather" };

function modelOf({ baseURL, fetch }, model = story, fields = {}) {
  const maxTokens = model === story ? 12 : 60;
  const base = { apiKey: "none", model, maxTokens, temperature: 0, maxRetries: 0 };
  return new ChatOpenAI({ ...base, ...fields, configuration: { baseURL, fetch } });
}

const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");

function toolCases(named, fields) {
  return [
    {
      tried: `${named}tools, and the answer to the tool's result`,
      model: instruct,
      run: async (context) => {
        const model = modelOf(context, instruct, fields).bindTools([weather], byName);
        const asked = [new HumanMessage(question)];
        const answer = await model.invoke(asked, { parallel_tool_calls: false });
        const [call] = answer.tool_calls;
        checkCity(call.args);
        const result = new ToolMessage({ content: "It rains.", tool_call_id: call.id });
        const last = await modelOf(context, instruct, fields).invoke([...asked, answer, result]);
        checkText(textOf(last));
      },
    },
    {
      tried: `${named}tools, streamed`,
      model: instruct,
      run: async (context) => {
        const model = modelOf(context, instruct, fields).bindTools([weather], byName);
        let whole;
        for await (const chunk of await model.stream(question)) whole = whole ? whole.concat(chunk) : chunk;
        checkCity(whole.tool_calls[0].args);
      },
    },
    {
      tried: `${named}structured output`,
      model: instruct,
      run: async (context) => {
        const model = modelOf(context, instruct, fields).withStructuredOutput(Weather, { name: "weather" });
        checkCity(await model.invoke(question));
      },
    },
  ];
}

function casesOf(named, fields) {
  return [
    {
      tried: `${named}a text`,
      run: async (context) => checkText(textOf(await modelOf(context, story, fields).invoke(prompt))),
    },
    {
      tried: `${named}a text, streamed`,
      run: async (context) => {
        const stream = await modelOf(context, story, fields).stream(prompt);
        checkText(await joined(stream, textOf));
      },
    },
    ...toolCases(named, fields),
  ];
}

export const cases = [
  ...casesOf("chat: ", {}),
  {
    tried: "chat: structured output by a tool",
    model: instruct,
    run: async (context) => {
      const options = { name: "weather", method: "functionCalling" };
      checkCity(await modelOf(context, instruct).withStructuredOutput(Weather, options).invoke(question));
    },
  },
  ...casesOf("responses: ", { useResponsesApi: true }),
  {
    tried: "embeddings",
    run: async (context) => {
      const { baseURL, fetch } = context;
      const base = { apiKey: "none", model: story, maxRetries: 0 };
      const embeddings = new OpenAIEmbeddings({ ...base, configuration: { baseURL, fetch } });
      const vectors = await embeddings.embedDocuments(["A cat.", "A dog."]);
      check(vectors.length === 2 && vectors[0].length > 8, "two vectors");
    },
  },
  {
    tried: "a picture",
    refused: noPictures,
    run: (context) => {
      const content = [{ type: "image_url", image_url: { url: picture } }];
      return modelOf(context).invoke([new HumanMessage({ content })]);
    },
  },
];
