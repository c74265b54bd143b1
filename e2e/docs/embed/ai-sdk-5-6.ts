import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { MidtokenEngine } from "midtoken";
import { createFetchHandler } from "midtoken/openai";

export function providerOf(engine: MidtokenEngine) {
  const handler = createFetchHandler(engine);
  const fetch: typeof globalThis.fetch = async (input, init) => handler(new Request(input, init));
  const where = { name: "midtoken", baseURL: "http://midtoken/v1", fetch };
  return createOpenAICompatible({ ...where, supportsStructuredOutputs: true, includeUsage: true });
}
