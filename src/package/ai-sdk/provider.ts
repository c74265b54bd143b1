/** The models of an engine as a provider of the AI SDK. */

import type { ProviderV4 } from "@ai-sdk/provider";
import * as provider from "@ai-sdk/provider";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { checkProviderVersion } from "./check-version.ts";
import { MidtokenLanguageModel } from "./language-model.ts";

export interface MidtokenProvider extends ProviderV4 {
  /** Like `languageModel`. */
  (modelId: string): MidtokenLanguageModel;
  /**
   * Whether the model exists is checked when it is called: the call rejects with a NoSuchModelError that names the available
   * models.
   * @param modelId like `model` of a chat completion: `model`, or with mods `model/mod,mod`
   */
  languageModel(modelId: string): MidtokenLanguageModel;
}

/**
 * A provider for `generateText`, `streamText`, agents and `useChat` of the AI SDK: everything runs in this page, without an
 * API route.
 *
 * @example
 * const midtoken = createMidtoken(engine);
 * const { text } = await generateText({ model: midtoken("smollm2/happy"), prompt: "Tell me a story." });
 *
 * @throws Error that says what to install, if the app has AI SDK 5 or 6.
 */
export function createMidtoken(engine: MidtokenEngine): MidtokenProvider {
  checkProviderVersion(provider);
  const languageModel = (modelId: string) => new MidtokenLanguageModel(engine, modelId);
  const none = (modelType: "embeddingModel" | "imageModel") => (modelId: string) => {
    const message = `Midtoken provides only language models, so there is no ${modelType} "${modelId}".`;
    throw new provider.NoSuchModelError({ modelId, modelType, message });
  };
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: "v4" as const,
    languageModel,
    embeddingModel: none("embeddingModel"),
    imageModel: none("imageModel"),
  });
}
