/** Vercel's AI SDK, any version: over the openai-compatible provider (chat calls) and over OpenAI's own provider (responses). */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from "ai";
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
} from "./cases.mjs";

const Weather = z.object({ city: z.enum(["Oslo", "Rome"]) });
const limits = { maxOutputTokens: 12, temperature: 0, maxRetries: 0 };
const tooled = {
  maxOutputTokens: 60,
  temperature: 0,
  maxRetries: 0,
  prompt: question,
  // One call: the small model repeats calls until `maxOutputTokens` cuts it, and the SDK runs no tool of an answer that was cut.
  providerOptions: { midtoken: { parallel_tool_calls: false }, openai: { parallelToolCalls: false } },
};

const providers = {
  "openai-compatible": ({ baseURL, fetch }) =>
    createOpenAICompatible({
      name: "midtoken",
      baseURL,
      fetch,
      supportsStructuredOutputs: true,
      includeUsage: true,
    }),
  openai: ({ baseURL, fetch }) => createOpenAI({ apiKey: "none", baseURL, fetch }),
};

/** Of AI SDK 5, `experimental_output` is what later versions name `output`. */
const structured = (schema) => {
  const output = Output.object({ schema });
  return { output, experimental_output: output };
};

function casesOf(name, refusedPicture) {
  const provider = providers[name];
  const titled = (tried) => `${name}: ${tried}`;
  return [
    {
      tried: titled("a text"),
      run: async (context) => {
        const { text, usage } = await generateText({ ...limits, prompt, model: provider(context)(story) });
        checkText(text);
        check(usage.outputTokens > 0, "usage");
      },
    },
    {
      tried: titled("a text, streamed"),
      run: async (context) => {
        let failed = null;
        const onError = ({ error }) => {
          failed = error;
        };
        const answer = streamText({ ...limits, prompt, onError, model: provider(context)(story) });
        const text = await joined(answer.textStream, (piece) => piece);
        if (failed) throw failed;
        checkText(text);
      },
    },
    {
      tried: titled("tools in two steps"),
      model: instruct,
      run: async (context) => {
        const heard = [];
        const execute = async (input) => {
          heard.push(input);
          return "It rains.";
        };
        const weather = tool({ description: "The weather in a city", inputSchema: Weather, execute });
        await generateText({
          ...tooled,
          model: provider(context)(instruct),
          tools: { weather },
          toolChoice: "required",
          stopWhen: stepCountIs(2),
        });
        checkCity(heard[0]);
      },
    },
    {
      tried: titled("tools, streamed"),
      model: instruct,
      run: async (context) => {
        const weather = tool({ description: "The weather in a city", inputSchema: Weather });
        const answer = streamText({
          ...tooled,
          model: provider(context)(instruct),
          tools: { weather },
          toolChoice: "required",
        });
        const [call] = await answer.toolCalls;
        checkCity(call.input);
      },
    },
    {
      tried: titled("structured output"),
      model: instruct,
      run: async (context) => {
        const { output, experimental_output } = await generateText({
          ...tooled,
          ...structured(Weather),
          model: provider(context)(instruct),
        });
        checkCity(output ?? experimental_output);
      },
    },
    {
      tried: titled("embeddings"),
      run: async (context) => {
        const made = provider(context);
        const model = made.embeddingModel?.(story) ?? made.textEmbeddingModel(story);
        const { embeddings } = await embedMany({ model, values: ["A cat.", "A dog."], maxRetries: 0 });
        check(embeddings.length === 2 && embeddings[0].length > 8, "two vectors");
      },
    },
    {
      tried: titled("a picture"),
      refused: refusedPicture,
      run: (context) => {
        const content = [{ type: "image", image: picture }];
        const model = provider(context)(story);
        return generateText({ ...limits, model, messages: [{ role: "user", content }] });
      },
    },
  ];
}

export const cases = [...casesOf("openai-compatible", noPictures), ...casesOf("openai", noInputPictures)];
