/** Checks and copies each field of a prompt's messages that a guest sends. */
import { describeValue } from "../../core/base/show.ts";
import type { ContentPart, Message, ToolCall } from "../../core/sdk/request.ts";
import { type Fields, readFields, readList, readText, violate } from "./parse-values.ts";
import { messageLimits } from "./protocol.ts";

const roles = ["system", "user", "assistant", "tool"] as const;

export function readMessages(value: unknown): Message[] {
  let size = 0;
  const text = (each: unknown, what: string): string => {
    const read = readText(each, messageLimits.messageText, what);
    size += read.length;
    return size <= messageLimits.messageText
      ? read
      : violate(`the messages have ${size} characters; the limit is ${messageLimits.messageText}`);
  };
  return readList(value, messageLimits.messages, "messages").map((each) => {
    const fields = readFields(each, "a message");
    const role =
      roles.find((name) => name === fields.role) ??
      violate(`the role of a message is ${describeValue(fields.role)}`);
    const { name, tool_calls: calls, tool_call_id: callId } = fields;
    return {
      role,
      content: readContent(fields.content, text),
      ...(name !== undefined && { name: text(name, "a message's name") }),
      ...(calls !== undefined && { tool_calls: readCalls(calls, text) }),
      ...(callId !== undefined && { tool_call_id: text(callId, "a tool call's id") }),
    };
  });
}

type ReadText = (value: unknown, what: string) => string;

function readContent(value: unknown, text: ReadText): Message["content"] {
  if (value === null) return null;
  if (typeof value === "string") return text(value, "a message's content");
  return readList(value, messageLimits.messages, "a message's content").map((part): ContentPart => {
    const fields: Fields = readFields(part, "a message part");
    const type = text(fields.type, "a message part's type");
    return fields.text === undefined ? { type } : { type, text: text(fields.text, "a message part's text") };
  });
}

function readCalls(value: unknown, text: ReadText): ToolCall[] {
  return readList(value, messageLimits.toolCalls, "tool calls").map((call) => {
    const fields = readFields(call, "a tool call");
    const inner = readFields(fields.function, "a tool call's function");
    return {
      id: text(fields.id, "a tool call's id"),
      type: "function",
      function: {
        name: text(inner.name, "a tool call's name"),
        arguments: text(inner.arguments, "a tool call's arguments"),
      },
    };
  });
}
