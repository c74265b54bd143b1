/**
 * What the tools and the response format of a request mean for the loaded model: the text for its prompt, and the
 * constraint on its answer.
 */
import type { TextParts as Parts } from "../engine/load-model.ts";
import type { Message, TokenId, ToolDefinition } from "../sdk/request.ts";
import { callVocabularyOf } from "../tools/call-vocabulary.ts";
import type { ToolFormat } from "../tools/format.ts";
import { chatTemplateText, toolFormatOf } from "../tools/formats.ts";
import { offerTools } from "../tools/offer-tools.ts";
import { readRequestFormat, readToolChoice, readTools } from "../tools/request-format.ts";
import { createRequestHost, type RequestHost } from "../tools/request-host.ts";
import type { PromptRequest, RunRequest } from "./protocol.ts";

export interface AnswerFormat {
  readonly prompt: readonly TokenId[];
  /** Constrains the answer; the decode loop asks it after the mods of the request. Null where any text may answer. */
  readonly host: RequestHost | null;
}

/** @throws RequestFormatError, ConstraintLimitError or PromptError: each refuses the request before it starts. */
export function answerFormat(request: RunRequest, parts: Parts): AnswerFormat {
  const { tokenizer } = parts;
  const fields = readRequestFormat(request);
  const modNames = request.mods.map(({ name }) => name);
  const host = createRequestHost({ request: fields, tokenizer, format: formatOf(parts), modNames });
  const tools = fields.toolChoice === "none" ? [] : fields.tools;
  const prompt = request.rawPrompt
    ? parts.formatRawPrompt(request.messages)
    : offeredPrompt(request.messages, tools, parts);
  return { prompt, host };
}

/** The tokens of the prompt, after the chat template. @throws RequestFormatError, PromptError */
export function promptOf(
  { messages, rawPrompt, tools, toolChoice }: PromptRequest,
  parts: Parts,
): readonly TokenId[] {
  if (rawPrompt) return parts.formatRawPrompt(messages);
  const read = readTools(tools);
  return offeredPrompt(messages, readToolChoice(toolChoice, read) === "none" ? [] : read, parts);
}

function offeredPrompt(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  parts: Parts,
): readonly TokenId[] {
  const offered = offerTools(templateOf(parts), formatOf(parts), messages, tools);
  return parts.formatPrompt(offered.messages, offered.tools);
}

function templateOf({ tokenizerData }: Parts): string | null {
  return chatTemplateText(tokenizerData.tokenizerConfig.chat_template);
}

const formats = new WeakMap<Parts["tokenizer"], ToolFormat>();

function formatOf(parts: Parts): ToolFormat {
  const known = formats.get(parts.tokenizer);
  if (known) return known;
  const format = toolFormatOf({
    chatTemplate: templateOf(parts),
    hasSpecialToken: (name) => callVocabularyOf(parts.tokenizer).specialTokens.has(name),
  });
  formats.set(parts.tokenizer, format);
  return format;
}
