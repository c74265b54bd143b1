/** Cases for AI SDK 5, 6 and 7 with the openai-compatible provider over the fetch handler. No case depends on the model's text. */
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { createFetchHandler } from "../../http/fetch-handler.ts";

/** The functions used here that all three versions of the `ai` package have. */
interface AiPackage {
  readonly generateText: (options: object) => Promise<{ readonly text: string; readonly usage: object }>;
  readonly streamText: (options: object) => { readonly textStream: AsyncIterable<string> };
  readonly generateObject: (options: object) => Promise<{ readonly object: unknown }>;
  readonly stepCountIs: (count: number) => unknown;
  readonly tool: (definition: object) => unknown;
}

interface CompatiblePackage {
  readonly createOpenAICompatible: (options: {
    readonly name: string;
    readonly baseURL: string;
    readonly fetch: typeof fetch;
    readonly supportsStructuredOutputs: boolean;
    readonly includeUsage: boolean;
  }) => (model: string) => unknown;
}

export interface AiSdkVersion {
  readonly name: string;
  readonly load: () => Promise<readonly [AiPackage, CompatiblePackage]>;
}

const packages = (ai: Promise<unknown>, compatible: Promise<unknown>) =>
  Promise.all([ai, compatible]) as Promise<readonly [AiPackage, CompatiblePackage]>;

export const aiSdkVersions: readonly AiSdkVersion[] = [
  { name: "ai 5", load: () => packages(import("ai5"), import("openai-compatible5")) },
  { name: "ai 6", load: () => packages(import("ai6"), import("openai-compatible6")) },
  { name: "ai 7", load: () => packages(import("ai"), import("@ai-sdk/openai-compatible")) },
];

/** The same as in `e2e/docs/embed/ai-sdk-5-6.ts`. @param asked counts the requests */
export function openAiCompatibleProvider(
  { createOpenAICompatible }: CompatiblePackage,
  engine: MidtokenEngine,
  asked: () => void = () => {},
): (model: string) => unknown {
  const handler = createFetchHandler(engine);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked();
    return handler(new Request(input, init));
  };
  const where = { name: "midtoken", baseURL: "http://midtoken/v1", fetch };
  return createOpenAICompatible({ ...where, supportsStructuredOutputs: true, includeUsage: true });
}
