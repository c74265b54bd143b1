/** Prepares a conversation with tools for a model's chat template: parts that the template cannot show become plain text. */
import { textOfMessage } from "../base/message-text.ts";
import type { Message, ToolDefinition } from "../sdk/request.ts";
import type { ToolFormat } from "./format.ts";
import { offersTools } from "./formats.ts";

export interface OfferedConversation {
  readonly messages: readonly Message[];
  /** The tools for the template; empty if the template does not show tools. */
  readonly tools: readonly ToolDefinition[];
}

/**
 * Returns the conversation and the tools as this chat template can show them. Calls, results and tools that the template would
 * lose become text of messages; other messages stay as they are.
 */
export function offerTools(
  chatTemplate: string | null,
  format: ToolFormat,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): OfferedConversation {
  const template = chatTemplate ?? "";
  const showsTools = offersTools(template);
  let shown = messages;
  if (!/\btool_calls\b/.test(template)) shown = shown.map((message) => withWrittenCalls(message, format));
  if (!/["']tool["']|ipython|tool_response/.test(template)) shown = withResultsAsUser(shown);
  if (/single tool-calls?|tool_calls\s*\|\s*length\s*!=\s*1/.test(template))
    shown = shown.flatMap(oneCallEach(shown));
  const offered = tools.map(withoutOrder);
  if (tools.length === 0 || showsTools) return { messages: shown, tools: offered };
  return { messages: withDescription(shown, describe(offered, format)), tools: [] };
}

/** The tool in the form of OpenAI's API: without `order`, which the model does not need. */
function withoutOrder(tool: ToolDefinition): ToolDefinition {
  const { order, ...about } = tool.function;
  return order === undefined ? tool : { ...tool, function: about };
}

function withWrittenCalls(message: Message, format: ToolFormat): Message {
  const { tool_calls: calls, ...rest } = message;
  if (!calls?.length) return message;
  const written = format.write(calls.map((call) => call.function));
  const content = textOfMessage(message);
  return { ...rest, content: content === "" ? written : `${content}\n${written}` };
}

/** Turns results of tools into user messages; consecutive results become one message. */
function withResultsAsUser(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  let isOpen = false;
  for (const message of messages) {
    if (message.role !== "tool") {
      turns.push(message);
      isOpen = false;
      continue;
    }
    const result = `<tool_response>\n${textOfMessage(message)}\n</tool_response>`;
    const last = isOpen ? turns.pop() : undefined;
    turns.push({ role: "user", content: last ? `${textOfMessage(last)}\n${result}` : result });
    isOpen = true;
  }
  return turns;
}

/** Splits a turn with several calls into turns with one call and its result, for templates that allow one call per turn. */
function oneCallEach(messages: readonly Message[]): (message: Message) => readonly Message[] {
  const split = messages.flatMap((message) =>
    message.tool_calls && message.tool_calls.length > 1 ? message.tool_calls.map(({ id }) => id) : [],
  );
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? [[message.tool_call_id, message] as const] : [],
    ),
  );
  return (message) => {
    if (message.role === "tool" && split.includes(message.tool_call_id ?? "")) return [];
    if (!message.tool_calls || message.tool_calls.length <= 1) return [message];
    return message.tool_calls.flatMap((call, index) => {
      const result = results.get(call.id);
      const turn = { ...message, content: index === 0 ? message.content : null, tool_calls: [call] };
      return result ? [turn, result] : [turn];
    });
  };
}

function withDescription(messages: readonly Message[], description: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: description }, ...messages];
  return [{ ...first, content: `${textOfMessage(first)}\n\n${description}` }, ...rest];
}

function describe(tools: readonly ToolDefinition[], { example }: ToolFormat): string {
  const lines = tools.map((tool) => JSON.stringify(tool.function));
  return `You can call these functions:\n${lines.join("\n")}\nTo call one, answer with nothing but JSON: ${example}`;
}
