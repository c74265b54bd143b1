/** The earlier tool calls of a request with their answers, and the schemas of the requested answer. */
import type { Message, ResponseFormat, ToolCall, ToolDefinition } from "./request.ts";
import { clientRequest, getConversation } from "./request-scope.ts";

/** A tool call of the assistant, and the tool's result. */
export interface ToolCallPair {
  readonly call: ToolCall;
  /** Text of the tool's message; null if there is no such message, or if its content has no text. */
  readonly answer: string | null;
}

/** Names of the functions that read the request. A mod receives the request only if its source has one of these names. */
export const requestReaderNames: readonly string[] = ["getConversation", "toolCallPairs", "getSchemas"];

/**
 * Every tool call of the conversation, in order, each with its tool's answer or null. Content given as parts is joined to a
 * text. An answer belongs to the last call before it that has its id; of several answers the last one counts.
 * @throws Error outside a handler, unless messages are given.
 */
export function toolCallPairs(messages: readonly Message[] = getConversation()): readonly ToolCallPair[] {
  const pairs: { call: ToolCall; answer: string | null }[] = [];
  const byId = new Map<string, { answer: string | null }>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) {
        if (typeof call?.id !== "string") continue;
        const pair = { call, answer: null };
        pairs.push(pair);
        byId.set(call.id, pair);
      }
    } else if (message.role === "tool") {
      const pair = byId.get(message.tool_call_id ?? "");
      if (pair) pair.answer = textOf(message.content);
    }
  }
  return Object.freeze(pairs.map((pair) => Object.freeze(pair)));
}

/**
 * The JSON schemas of the request: the schema of its `response_format` (or the format itself, if it has no schema),
 * then its tools.
 * @throws Error outside a handler.
 */
export function getSchemas(): readonly (
  | Readonly<Record<string, unknown>>
  | ResponseFormat
  | ToolDefinition
)[] {
  const { responseFormat, tools } = clientRequest("getSchemas");
  if (responseFormat === null) return Object.freeze([...tools]);
  const format = responseFormat.type === "json_schema" ? responseFormat.json_schema.schema : responseFormat;
  return Object.freeze([format, ...tools]);
}

/**
 * The text of a message's content, which clients may send in other shapes than the types say. Parts without text, such as
 * images, are left out; null if no text is left.
 */
function textOf(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const texts: string[] = [];
  for (const part of content as unknown[]) {
    if (typeof part === "string") texts.push(part);
    else if (typeof part !== "object" || part === null) return null;
    else {
      const { text, content: inner } = part as { text?: unknown; content?: unknown };
      if (typeof text === "string") texts.push(text);
      else if (typeof inner === "string") texts.push(inner);
    }
  }
  return texts.length === 0 ? null : texts.join("");
}
