/** Compares our types with those of OpenAI's client. The compiler checks this file; nothing runs it. */
import type OpenAI from "openai";
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from "./chat-completion.ts";
import type { TextCompletion, TextCompletionRequest } from "./text-completion.ts";

/** The same type, read-only at every depth. A caller may pass read-only values, since the API only reads them. */
type ReadOnly<Value> = Value extends (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
    : Value;

declare const chat: ChatCompletion;
declare const chunk: ChatCompletionChunk;
declare const text: TextCompletion;
declare const chatRequest: ChatCompletionRequest;
declare const textRequest: TextCompletionRequest;

// Code that reads OpenAI's answers can read ours.
export const chatFits: ReadOnly<OpenAI.Chat.ChatCompletion> = chat;
export const chunkFits: ReadOnly<OpenAI.Chat.ChatCompletionChunk> = chunk;
// OpenAI's type is wrong here: a chunk of a stream has no finish reason yet.
export const textFits: ReadOnly<Omit<OpenAI.Completion, "choices" | "usage">> = text;
export const textChoiceFits: ReadOnly<Omit<OpenAI.CompletionChoice, "finish_reason">> | undefined =
  text.choices[0];
export const textUsageFits: ReadOnly<OpenAI.CompletionUsage> | null | undefined = text.usage;

// Requests for our calls can be sent with OpenAI's client. Parts of a message are checked when they are read.
export const chatRequestFits: ReadOnly<Omit<OpenAI.Chat.ChatCompletionCreateParams, "messages" | "stream">> =
  chatRequest;
export const textRequestFits: ReadOnly<Omit<OpenAI.CompletionCreateParams, "stream">> = textRequest;

// The engine's answers match OpenAI's own types, including their mutable lists.
export const chatIs: OpenAI.Chat.ChatCompletion = chat;
export const chunkIs: OpenAI.Chat.ChatCompletionChunk = chunk;
export const usageIs: OpenAI.CompletionUsage = chat.usage;

// Code with a conversation and tools in OpenAI's types can call the engine, and continue with its answer.
declare const messages: OpenAI.ChatCompletionMessageParam[];
declare const tools: OpenAI.ChatCompletionTool[];
export const asked: ChatCompletionRequest = { model: "m", messages, tools };
export const goesOn: OpenAI.ChatCompletionMessageParam[] = [
  ...messages,
  ...chat.choices.map(({ message }) => message),
];
export const goesOnHere: ChatCompletionRequest["messages"] = [
  ...messages,
  ...chat.choices.map(({ message }) => message),
];

// A conversation of plain texts has both types.
const conversation = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: "Hello" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "1", content: "42" },
] as const;
export const ours: ChatCompletionRequest["messages"] = conversation;
export const theirs: ReadOnly<OpenAI.Chat.ChatCompletionMessageParam[]> = conversation;
