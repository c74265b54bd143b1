/** Makes the prompt of a request, with its tools and response format, and the constraint on its output. */
import { textOfMessage } from "../../../core/base/message-text.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import type { Message, TokenId, ToolDefinition } from "../../../core/sdk/request.ts";
import { withoutEarlierReasoning } from "../../../core/tools/earlier-reasoning.ts";
import type { ToolFormat } from "../../../core/tools/format.ts";
import { chatTemplateText, toolFormatOf } from "../../../core/tools/formats.ts";
import { offerTools } from "../../../core/tools/offer-tools.ts";
import {
  RequestFormatError,
  readRequestFormat,
  readToolChoice,
  readTools,
} from "../../../core/tools/request-format.ts";
import { createRequestFormatHost, type RequestFormatHost } from "../../../core/tools/request-host.ts";
import type { TraceReasoning } from "../../../core/trace/format/format-request.ts";
import type { TokenizerAndPrompts } from "../../engine/load/load-model.ts";
import type { PromptOptions } from "../../engine/prompt/chat-template.ts";
import type { Thinking } from "../../engine/prompt/thinking.ts";
import type { LoadedModel } from "../shared/loading.ts";
import type { PromptRequest, RunRequest } from "../shared/requests.ts";

export interface PromptAndFormat {
  readonly prompt: readonly TokenId[];
  /** Constrains the output. The decode loop asks it after the request's mods. Null if any text is allowed. */
  readonly host: RequestFormatHost | null;
  /** The marks around the reasoning in the output; null if the output contains no reasoning. */
  readonly reasoning: TraceReasoning | null;
}

/**
 * @param mostTokens the most tokens that the prompt may have; no limit unless given
 * @throws RequestFormatError, ConstraintLimitError or PromptError: each refuses the request before it starts.
 */
export function* makePromptAndFormat(
  request: RunRequest,
  bundle: TokenizerAndPrompts,
  mostTokens?: number,
): ResumableWork<PromptAndFormat> {
  const { tokenizer } = bundle;
  const fields = readRequestFormat(request);
  const modNames = request.mods.map(({ name }) => name);
  const tools = fields.toolChoice === "none" ? [] : fields.tools;
  const thinks = readThinking(request.thinking, bundle);
  const { prompt, reasoning } = request.rawPrompt
    ? { prompt: yield* bundle.formatRawPrompt(request.messages, mostTokens), reasoning: null }
    : yield* offeredPrompt(
        request.messages,
        tools,
        { thinks, mostTokens, parseSpecial: request.parseSpecial },
        bundle,
      );
  const format = formatOf(bundle);
  const host = createRequestFormatHost({ request: fields, tokenizer, format, modNames, reasoning });
  return { prompt, host, reasoning };
}

/** @throws RequestFormatError if the model cannot switch its thinking as requested. */
function readThinking(requested: unknown, { thinking }: TokenizerAndPrompts): boolean | undefined {
  if (requested === undefined || requested === null) return undefined;
  const refuse = (why: string): never => {
    throw new RequestFormatError("thinking", ` is ${JSON.stringify(requested)}${why}`);
  };
  if (typeof requested !== "boolean") return refuse(": write true or false, or leave it out.");
  if (thinking?.variable) return requested;
  if (requested && !thinking) {
    return refuse(", but this model's chat template does not support thinking: leave the field out.");
  }
  if (!requested && thinking) {
    return refuse(", but this model's chat template cannot switch thinking off: leave the field out.");
  }
  return undefined;
}

/** The tokens of the prompt, after the chat template. @throws RequestFormatError, PromptError */
export function* promptOf(
  { messages, rawPrompt, parseSpecial, thinking, tools, toolChoice }: PromptRequest,
  bundle: TokenizerAndPrompts,
): ResumableWork<readonly TokenId[]> {
  if (rawPrompt) return yield* bundle.formatRawPrompt(messages);
  const allTools = readTools(tools);
  const offered = readToolChoice(toolChoice, allTools) === "none" ? [] : allTools;
  const thinks = readThinking(thinking, bundle);
  const { prompt } = yield* offeredPrompt(messages, offered, { thinks, parseSpecial }, bundle);
  return prompt;
}

/** The prompt as text. @throws RequestFormatError, PromptError */
export function promptTextOf(
  { messages, rawPrompt, thinking, tools, toolChoice }: PromptRequest,
  bundle: TokenizerAndPrompts,
): string {
  if (rawPrompt) return messages.map(textOfMessage).join("");
  const allTools = readTools(tools);
  const offered = readToolChoice(toolChoice, allTools) === "none" ? [] : allTools;
  const turns = turnsFor(messages, offered, bundle);
  return bundle.renderPrompt(turns.messages, turns.tools, readThinking(thinking, bundle));
}

/** The messages and tools that the chat template is given. */
function turnsFor(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  bundle: TokenizerAndPrompts,
) {
  const template = templateOf(bundle);
  // A model without reasoning marks may be taught to reason by examples, so its messages stay unchanged.
  const { thinking } = bundle;
  const turns = thinking ? withoutEarlierReasoning(template, thinking, messages) : messages;
  return offerTools(template, formatOf(bundle), turns, tools);
}

function* offeredPrompt(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  options: PromptOptions,
  bundle: TokenizerAndPrompts,
): ResumableWork<Pick<PromptAndFormat, "prompt" | "reasoning">> {
  const { thinking } = bundle;
  const offered = turnsFor(messages, tools, bundle);
  const prompt = yield* bundle.formatPromptInSteps(offered.messages, offered.tools, options);
  const reasoningState = thinking && bundle.reasoningAt(offered.messages, offered.tools, options.thinks);
  const reasoning =
    !thinking || reasoningState === "over"
      ? null
      : { ...marksOf(thinking), isBegun: reasoningState === "begun" };
  return { prompt, reasoning };
}

function marksOf({ open, close, answer }: Thinking): Omit<TraceReasoning, "isBegun"> {
  return { open, close, ...(answer && { answer }) };
}

function templateOf({ tokenizerData }: TokenizerAndPrompts): string | null {
  return chatTemplateText(tokenizerData.tokenizerConfig.chat_template);
}

/**
 * For readers of the model's outputs: the format of tool calls, and the special tokens that mark calls but are invisible in
 * a text.
 */
export function toolCallFormatOf(bundle: TokenizerAndPrompts): LoadedModel["toolCalls"] {
  const { name, markers } = formatOf(bundle);
  const special = specialTokens(bundle);
  const markersByToken = markers.flatMap((marker) => {
    const token = special.get(marker);
    return token === undefined ? [] : [[token, marker] as const];
  });
  return { format: name, markers: Object.fromEntries(markersByToken) };
}

const formats = new WeakMap<TokenizerAndPrompts["tokenizer"], ToolFormat>();

function formatOf(bundle: TokenizerAndPrompts): ToolFormat {
  const existing = formats.get(bundle.tokenizer);
  if (existing) return existing;
  const special = specialTokens(bundle);
  const format = toolFormatOf({
    chatTemplate: templateOf(bundle),
    hasSpecialToken: (name) => special.has(name),
  });
  formats.set(bundle.tokenizer, format);
  return format;
}

/** Special tokens by name, from the tokenizer's file, because searching the whole vocabulary would take long. */
function specialTokens({ tokenizer, tokenizerData }: TokenizerAndPrompts): ReadonlyMap<string, TokenId> {
  const added: unknown = tokenizerData.tokenizerJson.added_tokens;
  const tokens = (Array.isArray(added) ? added : []).flatMap((token: unknown) => {
    if (!isRecord(token) || token.special !== true) return [];
    const { id, content } = token;
    const isIn = typeof id === "number" && id < tokenizer.vocabSize && typeof content === "string";
    return isIn && !tokenizer.eosTokenIds.includes(id) ? [[content, id] as const] : [];
  });
  return new Map(tokens);
}
