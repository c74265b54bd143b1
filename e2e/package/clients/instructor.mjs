/** Instructor: objects of a schema, whole and streamed. Its modes JSON and MD_JSON are left out: only the prompt names the fields there, which a small model does not keep to. */
import createInstructor from "@instructor-ai/instructor";
import OpenAI from "openai";
import { z } from "zod";
import { checkCity, instruct, noPictures, picture, question } from "./cases.mjs";

const Weather = z.object({ city: z.enum(["Oslo", "Rome"]).describe("The city of the question") });
const request = {
  model: instruct,
  messages: [{ role: "user", content: question }],
  temperature: 0,
  max_tokens: 80,
  max_retries: 0,
};
const response_model = { name: "Weather", schema: Weather };

function clientOf({ baseURL, fetch }, mode) {
  const client = new OpenAI({ apiKey: "none", baseURL, fetch, maxRetries: 0 });
  return createInstructor({ client, mode });
}

const modes = ["TOOLS", "FUNCTIONS", "JSON_SCHEMA"];

/** `functions` is the field that `tools` replaced. */
const refusals = { FUNCTIONS: /give the functions as tools/ };

export const cases = [
  ...modes.map((mode) => ({
    tried: `mode ${mode}`,
    model: instruct,
    refused: refusals[mode],
    run: async (context) => {
      checkCity(await clientOf(context, mode).chat.completions.create({ ...request, response_model }));
    },
  })),
  ...["TOOLS", "JSON_SCHEMA"].map((mode) => ({
    tried: `mode ${mode}, streamed`,
    model: instruct,
    run: async (context) => {
      const { completions } = clientOf(context, mode).chat;
      let last;
      for await (const part of await completions.create({ ...request, response_model, stream: true }))
        last = part;
      checkCity(last);
    },
  })),
  {
    tried: "a picture",
    model: instruct,
    refused: noPictures,
    run: (context) => {
      const content = [{ type: "image_url", image_url: { url: picture } }];
      const messages = [{ role: "user", content }];
      return clientOf(context, "TOOLS").chat.completions.create({ ...request, messages, response_model });
    },
  },
];
