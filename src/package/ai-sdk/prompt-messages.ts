/** Converts the AI SDK's prompt to the messages of a chat completion. */
import {
  type LanguageModelV4FilePart,
  type LanguageModelV4Prompt,
  type LanguageModelV4ToolResultOutput,
  type LanguageModelV4ToolResultPart,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { ToolCall } from "../../core/sdk/request.ts";
import type { ChatMessage } from "../api/chat-completion.ts";

type AssistantContent = Extract<LanguageModelV4Prompt[number], { role: "assistant" }>["content"];
type UserContent = Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"];

/**
 * Leaves out, with a warning, content that the model cannot read and does not need (results of another provider's tools).
 * @throws UnsupportedFunctionalityError for a file that is not text, because these models read only text.
 */
export function toChatMessages(prompt: LanguageModelV4Prompt, warnings: SharedV4Warning[]): ChatMessage[] {
  return prompt.flatMap((message) => messagesOf(message, warnings));
}

function messagesOf(message: LanguageModelV4Prompt[number], warnings: SharedV4Warning[]): ChatMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: userText(message.content) }];
    case "assistant":
      return [assistantMessage(message.content, warnings)];
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result" ? [toolMessage(part)] : leaveOut("a tool approval response", warnings),
      );
  }
}

function userText(content: UserContent): string {
  return content.map((part) => (part.type === "text" ? part.text : fileText(part))).join("");
}

function assistantMessage(content: AssistantContent, warnings: SharedV4Warning[]): ChatMessage {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: ToolCall[] = [];
  for (const part of content) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "reasoning") thoughts.push(part.text);
    else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolName: name, input } = part;
      // The AI SDK passes the input as a value, or as text if it could not parse the text.
      const text = typeof input === "string" ? input : JSON.stringify(input);
      calls.push({ id: part.toolCallId, type: "function", function: { name, arguments: text } });
    } else if (part.type === "file") texts.push(fileText(part));
    else leaveOut(`a part of type "${part.type}" in an assistant message`, warnings);
  }
  const text = texts.join("");
  const reasoning = thoughts.join("");
  const thought = reasoning === "" ? {} : { reasoning_content: reasoning };
  if (calls.length === 0) return { role: "assistant", content: text, ...thought };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls, ...thought };
}

function toolMessage({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): ChatMessage {
  return { role: "tool", content: outputText(output), name: toolName, tool_call_id: toolCallId };
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "The user denied the execution of this tool.";
    case "content":
      return output.value.map(resultPartText).join("");
  }
}

type ResultPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

function resultPartText(part: ResultPart): string {
  if (part.type === "text") return part.text;
  if (part.type === "file") return fileText(part);
  throw new UnsupportedFunctionalityError({
    functionality: "custom content in a tool result",
    message: "A tool result has custom content, which cannot be shown to the model: return text or JSON.",
  });
}

type FileContent = Pick<LanguageModelV4FilePart, "data" | "mediaType" | "filename">;

/** The text of a text file. @throws UnsupportedFunctionalityError for any other file. */
function fileText({ data, mediaType, filename }: FileContent): string {
  if (data.type === "text") return data.text;
  const isText = mediaType === "text" || mediaType.startsWith("text/");
  if (isText && data.type === "data") return new TextDecoder().decode(bytesOf(data.data));
  const name = filename === undefined ? "A file" : `The file "${filename}"`;
  throw new UnsupportedFunctionalityError({
    functionality: `file of type ${mediaType}`,
    message: `${name} of type ${mediaType} cannot be shown to the model, which reads only text: send its content as text.`,
  });
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? Uint8Array.from(atob(data), (char) => char.charCodeAt(0)) : data;
}

function leaveOut(what: string, warnings: SharedV4Warning[]): [] {
  warnings.push({ type: "other", message: `The prompt has ${what}, which is not shown to the model.` });
  return [];
}
