import type { MidtokenEngine } from "midtoken";
import { createFetchHandler } from "midtoken/openai";
import OpenAI from "openai";

export function clientOf(engine: MidtokenEngine): OpenAI {
  const handler = createFetchHandler(engine);
  return new OpenAI({
    apiKey: "none",
    baseURL: "http://midtoken.local/v1",
    fetch: (url, init) => handler(new Request(url, init)),
  });
}
