/**
 * The items of a response: reasoning, then a message, then function calls. Complete and streamed answers have the same
 * items.
 */
import type { ToolCall } from "../../../core/sdk/request.ts";
import type { StreamedToken } from "../../../core/trace/text/text-stream-events.ts";
import { chatLogprobs } from "../logprobs.ts";
import type {
  ResponseFunctionCall,
  ResponseItemStatus,
  ResponseLogprob,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseReasoning,
} from "./response-types.ts";

/** Settings for the items of one response. */
export interface OutputItemSettings {
  /** Part of every id. */
  readonly key: string;
  /** How many of the most likely tokens to return for each token; null for none. */
  readonly topLogprobs: number | null;
}

export interface ResponseOutputParts {
  /** Null if the model did not think. */
  readonly reasoning: string | null;
  readonly text: string;
  readonly tokens: readonly StreamedToken[];
  readonly calls: readonly ToolCall[];
}

/**
 * Whether there is a message. White space before function calls is no message, nor is the empty answer of a model that was
 * cut while it reasoned.
 */
export function hasMessage(
  { reasoning, text, calls }: Pick<ResponseOutputParts, "reasoning" | "text" | "calls">,
  status: ResponseItemStatus,
): boolean {
  if (text.trim() !== "") return true;
  return calls.length === 0 && (reasoning === null || status === "completed");
}

/** @param status of the last item; the items before it are completed */
export function outputItems(
  parts: ResponseOutputParts,
  names: OutputItemSettings,
  status: ResponseItemStatus,
): ResponseOutputItem[] {
  const items: ResponseOutputItem[] = [];
  if (parts.reasoning !== null) items.push(reasoningItem(names, parts.reasoning, "completed"));
  if (hasMessage(parts, status)) items.push(messageItem(names, parts, "completed"));
  for (const [place, call] of parts.calls.entries()) items.push(callItem(names, place, call, "completed"));
  return withLastStatus(items, status);
}

export function withLastStatus(
  items: readonly ResponseOutputItem[],
  status: ResponseItemStatus,
): ResponseOutputItem[] {
  const last = items.at(-1);
  return last ? [...items.slice(0, -1), { ...last, status }] : [];
}

export function reasoningItem(
  { key }: OutputItemSettings,
  text: string | null,
  status: ResponseItemStatus,
): ResponseReasoning {
  const content = text === null ? [] : [{ type: "reasoning_text" as const, text }];
  return { id: `rs_${key}`, type: "reasoning", summary: [], content, status };
}

/** @param parts null for a message that has just begun */
export function messageItem(
  names: OutputItemSettings,
  parts: Pick<ResponseOutputParts, "text" | "tokens"> | null,
  status: ResponseItemStatus,
): ResponseOutputMessage {
  const content = parts === null ? [] : [textPart(names, parts)];
  return { id: `msg_${names.key}`, type: "message", role: "assistant", status, content };
}

export function textPart(
  names: OutputItemSettings,
  { text, tokens }: Pick<ResponseOutputParts, "text" | "tokens">,
): ResponseOutputText {
  const part: ResponseOutputText = { type: "output_text", text, annotations: [] };
  return names.topLogprobs === null ? part : { ...part, logprobs: responseLogprobs(tokens, names) };
}

export function callItem(
  { key }: OutputItemSettings,
  place: number,
  { id, function: { name, arguments: text } }: ToolCall,
  status: ResponseItemStatus,
): ResponseFunctionCall {
  return { id: `fc_${key}_${place}`, type: "function_call", call_id: id, name, arguments: text, status };
}

/** Empty if the request asked for no log-probabilities. */
export function responseLogprobs(
  tokens: readonly StreamedToken[],
  { topLogprobs }: OutputItemSettings,
): ResponseLogprob[] {
  if (topLogprobs === null) return [];
  const content = chatLogprobs(tokens, topLogprobs).content ?? [];
  return content.map(({ token, logprob, bytes, top_logprobs }) => ({
    token,
    logprob,
    bytes: [...(bytes ?? [])],
    top_logprobs: top_logprobs.map((other) => ({ ...other, bytes: [...(other.bytes ?? [])] })),
  }));
}
