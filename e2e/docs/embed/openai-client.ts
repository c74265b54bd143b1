import type { MidtokenEngine } from "midtoken";
import { createFetchHandler } from "midtoken/openai";
import OpenAI from "openai";

export function clientOf(engine: MidtokenEngine): OpenAI {
  const answer = createFetchHandler(engine);
  return new OpenAI({
    baseURL: "http://midtoken/v1",
    apiKey: "none",
    dangerouslyAllowBrowser: true,
    fetch: (input, init) => answer(new Request(input, init)),
  });
}
