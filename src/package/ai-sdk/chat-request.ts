/** Converts a call of the AI SDK to a chat completion request. */
import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import type { PropertyOrder, ResponseFormat, ToolChoice, ToolDefinition } from "../../core/sdk/request.ts";
import type { ChatCompletionRequest } from "../api/chat-completion.ts";
import { toChatMessages } from "./prompt-messages.ts";
import { propertyOrderOf, providerOptionsToFields } from "./provider-options.ts";

export interface ConvertedRequest {
  readonly request: ChatCompletionRequest & { readonly stream: true };
  /** Warnings about settings of the call that have no effect here. */
  readonly warnings: SharedV4Warning[];
}

/**
 * Reads the options of a call.
 * @throws UnsupportedFunctionalityError or InvalidArgumentError for an option that would change the answer if it were
 * ignored.
 */
export function convertCallOptions(model: string, options: LanguageModelV4CallOptions): ConvertedRequest {
  const warnings: SharedV4Warning[] = [];
  const { maxOutputTokens, temperature, topP, topK, seed, stopSequences, reasoning } = options;
  const { presencePenalty, frequencyPenalty, responseFormat, toolChoice } = options;
  if (reasoning !== undefined && reasoning !== "provider-default" && reasoning !== "none") {
    warnings.push({
      type: "unsupported",
      feature: "reasoning",
      details: `The effort "${reasoning}" has no effect: the model decides how long it reasons. A mod can ask the model hidden questions instead.`,
    });
  }
  const order = propertyOrderOf(options.providerOptions);
  const tools = toolDefinitions(options.tools, warnings).map((tool) => ({
    ...tool,
    function: { ...tool.function, ...order },
  }));
  const request: ConvertedRequest["request"] = {
    model,
    messages: toChatMessages(options.prompt, warnings),
    stream: true,
    stream_options: { include_usage: true },
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(stopSequences !== undefined && stopSequences.length > 0 && { stop: stopSequences }),
    ...(tools.length > 0 && { tools, ...(toolChoice && { tool_choice: choiceOf(toolChoice) }) }),
    ...(responseFormat?.type === "json" && { response_format: formatOf(responseFormat, order) }),
    ...(reasoning === "none" && { reasoning_effort: reasoning }),
    ...providerOptionsToFields(options.providerOptions),
  };
  return { request, warnings };
}

function toolDefinitions(
  tools: LanguageModelV4CallOptions["tools"],
  warnings: SharedV4Warning[],
): ToolDefinition[] {
  return (tools ?? []).flatMap((tool): ToolDefinition[] => {
    if (tool.type === "provider") {
      const details = "Only function tools are supported, not tools that a provider defines.";
      warnings.push({ type: "unsupported", feature: `tool "${tool.name}" (${tool.id})`, details });
      return [];
    }
    if (tool.strict === false) {
      const details = "Arguments always follow the tool's schema.";
      warnings.push({ type: "unsupported", feature: `strict: false for tool "${tool.name}"`, details });
    }
    if (tool.inputExamples && tool.inputExamples.length > 0) {
      const details =
        "Chat templates have no place for input examples: put the examples into the tool's description.";
      warnings.push({ type: "unsupported", feature: `inputExamples for tool "${tool.name}"`, details });
    }
    const { name, description, inputSchema } = tool;
    const parameters = inputSchema as Readonly<Record<string, unknown>>;
    return [
      { type: "function", function: { name, ...(description !== undefined && { description }), parameters } },
    ];
  });
}

function choiceOf(choice: NonNullable<LanguageModelV4CallOptions["toolChoice"]>): ToolChoice {
  return choice.type === "tool" ? { type: "function", function: { name: choice.toolName } } : choice.type;
}

function formatOf(
  { schema, name = "response" }: Extract<LanguageModelV4CallOptions["responseFormat"], { type: "json" }>,
  order: { readonly order?: PropertyOrder },
): ResponseFormat {
  if (schema === undefined) return { type: "json_object" };
  return {
    type: "json_schema",
    json_schema: { name, schema: schema as Readonly<Record<string, unknown>>, ...order },
  };
}
