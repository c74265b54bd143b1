/** Compares the provider's types with those of the AI SDK. `tsc` checks this file; nothing runs it. */
import type { LanguageModelV4, ProviderV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import {
  customProvider,
  generateText,
  type LanguageModel,
  Output,
  ToolLoopAgent,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { z } from "zod";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import {
  createMidtoken,
  type MidtokenMetadata,
  type MidtokenProviderOptions,
  readMidtokenMetadata,
} from "./index.ts";

export async function typeCheckOnly(engine: MidtokenEngine, message: UIMessage): Promise<void> {
  const midtoken = createMidtoken(engine);
  const provider: ProviderV4 = midtoken;
  const specified: LanguageModelV4 = midtoken("model");
  const model: LanguageModel = midtoken.languageModel("model/mod,mod");
  customProvider({ languageModels: { small: specified }, fallbackProvider: provider });
  wrapLanguageModel({ model: specified, middleware: {} });
  new ToolLoopAgent({ model });

  const options = { minP: 0.1, holdback: "all" } satisfies MidtokenProviderOptions;
  const carried: SharedV4ProviderOptions = { midtoken: options };
  const { output, providerMetadata } = await generateText({
    model,
    prompt: "",
    providerOptions: carried,
    output: Output.object({ schema: z.object({ age: z.number() }) }),
  });
  const age: number = output.age;
  const metadata: MidtokenMetadata | null = readMidtokenMetadata(providerMetadata);
  for (const part of message.parts) if (part.type === "text") readMidtokenMetadata(part.providerMetadata);
  // @ts-expect-error: there is no such option.
  const wrong: MidtokenProviderOptions = { beams: 2 };
  // @ts-expect-error: a model has a name.
  midtoken();
  void [age, metadata, wrong];
}
