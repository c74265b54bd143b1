/** Reads the messages of a chat request and checks each field. The messages become the prompt. */
import { textOfMessage } from "../../core/base/message-text.ts";
import { answerKeys } from "../../core/sdk/message-keys.ts";
import type { Message, ToolCall } from "../../core/sdk/request.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import { invalidRequestError } from "./api-error.ts";
import { BodyFields, fieldError } from "./body-fields.ts";

const roles: Readonly<Record<string, Message["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};

/** `ignoresUnknown`: unknown fields are ignored. @throws ApiError, 400, that names the message and its field. */
export function readMessages(body: BodyFields, ignoresUnknown = false): readonly Message[] {
  const value = body.take("messages");
  if (!Array.isArray(value) || value.length === 0) {
    throw body.refusal(
      "messages",
      value,
      'give a list of messages, such as [{ "role": "user", "content": "Hello" }]',
    );
  }
  if (value.length > traceLimits.messages) {
    const cure = `give at most ${traceLimits.messages}`;
    throw invalidRequestError(`messages has ${value.length} entries: ${cure}.`, "messages");
  }
  return value.map((message: unknown, index) => readMessage(message, `messages[${index}]`, ignoresUnknown));
}

function readMessage(value: unknown, path: string, ignoresUnknown: boolean): Message {
  const fields = new BodyFields(value, path);
  const role = readRole(fields);
  const calls = role === "assistant" ? readCalls(fields, path) : [];
  const refused = role === "assistant" ? refusalText(fields) : undefined;
  const content = refused ?? readContent(fields, `${path}.content`, calls.length > 0);
  const name = fields.text("name");
  const answered = role === "tool" ? fields.requiredText("tool_call_id") : undefined;
  const reasoning = role === "assistant" ? fields.text("reasoning_content") : undefined;
  if (role === "assistant") passOverAnswerFields(fields);
  if (!ignoresUnknown) fields.refuseOthers();
  return {
    role,
    content: reasoning ? withReasoning(content, reasoning) : content,
    ...(name !== undefined && { name }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(answered !== undefined && { tool_call_id: answered }),
  };
}

/** Puts the reasoning before the text, with the marks that models write. Chat templates, or the engine, remove it from earlier turns. */
export function withReasoning(content: Message["content"], reasoning: string): string {
  return `<think>\n${reasoning}\n</think>\n\n${textOfMessage({ content })}`;
}

function readRole(fields: BodyFields): Message["role"] {
  const value = fields.take("role");
  const role = typeof value === "string" && Object.hasOwn(roles, value) ? roles[value] : undefined;
  if (role !== undefined) return role;
  const instead = value === "function" ? '"tool", with the id of the call as tool_call_id' : undefined;
  const known = Object.keys(roles)
    .map((name) => `"${name}"`)
    .join(", ");
  throw fields.refusal("role", value, `write ${instead ?? `one of ${known}`}`);
}

/** The refusal in an answer without content. */
function refusalText(fields: BodyFields): string | undefined {
  const refused = fields.takeUnlisted("refusal");
  const isText = typeof refused === "string" && refused !== "" && fields.take("content") === undefined;
  return isText ? refused : undefined;
}

function readContent(fields: BodyFields, path: string, mayBeMissing: boolean): Message["content"] {
  const value = fields.take("content");
  if (typeof value === "string") return value;
  if (value === undefined && mayBeMissing) return null;
  if (!Array.isArray(value) || value.length === 0) {
    throw fields.refusal("content", value, "give a string, or a list of text parts");
  }
  if (value.length > traceLimits.entries) {
    throw invalidRequestError(
      `${path} has ${value.length} parts: give at most ${traceLimits.entries}.`,
      path,
    );
  }
  return value.map((part: unknown, index) => readPart(part, `${path}[${index}]`));
}

function readPart(value: unknown, path: string): { readonly type: "text"; readonly text: string } {
  const fields = new BodyFields(value, path);
  const type = fields.take("type");
  if (type !== "text") {
    const cure = 'write { "type": "text", "text": … }: these models read only text';
    throw fieldError(`${path}.type`, type, cure, "unsupported_value");
  }
  const text = fields.text("text");
  if (text === undefined) throw fields.refusal("text", text, "give a string");
  fields.take("prompt_cache_breakpoint");
  fields.refuseOthers();
  return { type, text };
}

function readCalls(fields: BodyFields, path: string): readonly ToolCall[] {
  const value = fields.take("tool_calls");
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw fields.refusal("tool_calls", value, "give a list of calls, or leave it out");
  return value.map((call: unknown, index) => readCall(call, `${path}.tool_calls[${index}]`));
}

function readCall(value: unknown, path: string): ToolCall {
  const fields = new BodyFields(value, path);
  const type = fields.take("type");
  if (type !== "function") throw fields.refusal("type", type, 'write "function", the only type');
  const id = fields.requiredText("id");
  const about = new BodyFields(fields.take("function"), `${path}.function`);
  const name = about.requiredText("name");
  const text = about.text("arguments");
  if (text === undefined) throw about.refusal("arguments", text, "give the arguments as JSON text");
  // OpenAI's client adds this field to answers, and answers are often sent back unchanged.
  about.take("parsed_arguments");
  about.refuseOthers();
  // The index of a call from a streamed answer.
  fields.take("index");
  fields.refuseOthers();
  return { id, type, function: { name, arguments: text } };
}

/**
 * Ignores fields that OpenAI's answers have and clients send back: citations, speech that accompanies the text, a refusal
 * that accompanies content, and parsed content. None of them changes the prompt. An old-style function call is refused,
 * because ignoring it would lose it.
 */
function passOverAnswerFields(fields: BodyFields): void {
  const called = fields.takeUnlisted("function_call");
  if (called !== undefined) {
    throw fields.refusal("function_call", called, "give it as tool_calls", "unsupported_parameter");
  }
  for (const name of answerKeys) fields.takeUnlisted(name);
}
