/** Collects the parts of a stream into one result, for calls that do not stream. */
import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

type Text = Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;

/** Collects the parts. @throws Error if `finish` is missing */
export function collectGenerateResult(
  parts: readonly LanguageModelV4StreamPart[],
  call: Pick<LanguageModelV4GenerateResult, "request" | "warnings">,
): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  const texts = new Map<string, Text>();
  let response: LanguageModelV4GenerateResult["response"] = {};
  for (const part of parts) {
    switch (part.type) {
      case "response-metadata":
        response = { id: part.id, timestamp: part.timestamp, modelId: part.modelId };
        break;
      case "text-start":
        texts.set(part.id, { type: "text", text: "" });
        content.push(texts.get(part.id) as Text);
        break;
      case "reasoning-start":
        texts.set(part.id, { type: "reasoning", text: "" });
        content.push(texts.get(part.id) as Text);
        break;
      case "reasoning-delta":
      case "text-delta":
        (texts.get(part.id) as Text).text += part.delta;
        break;
      case "text-end":
        (texts.get(part.id) as Text).providerMetadata = part.providerMetadata;
        break;
      case "tool-call":
        content.push(part);
        break;
      case "finish": {
        const { finishReason, usage, providerMetadata } = part;
        return { content, finishReason, usage, providerMetadata, response, ...call };
      }
    }
  }
  throw new Error("The answer ended without a finish reason. This is a bug in Midtoken: please report it.");
}
