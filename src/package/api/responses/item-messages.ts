/** Converts a conversation of items to messages, because a model's chat template reads messages. */
import type { Message, ToolCall } from "../../../core/sdk/request.ts";
import { withReasoning } from "../read-messages.ts";
import type { ResponseItem } from "./response-types.ts";

/** The assistant's current turn. All items of a turn become one message. */
interface Turn {
  reasoning: string;
  text: string | null;
  readonly calls: ToolCall[];
}

/**
 * Reasoning, text and function calls that follow one another become one message of the assistant. A call in which the answer
 * was cut is left out: its arguments are incomplete JSON, and the client cannot have run it.
 */
export function messagesOf(items: readonly ResponseItem[]): readonly Message[] {
  const messages: Message[] = [];
  let turn: Turn | null = null;
  const endTurn = (): void => {
    if (turn) messages.push(...messageOfTurn(turn));
    turn = null;
  };
  const begin = (): Turn => {
    endTurn();
    return { reasoning: "", text: null, calls: [] };
  };
  for (const item of items) {
    switch (item.type) {
      case "reasoning": {
        if (!turn || turn.text !== null || turn.calls.length > 0) turn = begin();
        turn.reasoning += item.content.map(({ text }) => text).join("");
        break;
      }
      case "function_call": {
        if (item.status !== "completed") break;
        turn ??= begin();
        const { call_id: id, name, arguments: text } = item;
        turn.calls.push({ id, type: "function", function: { name, arguments: text } });
        break;
      }
      case "function_call_output":
        endTurn();
        messages.push({ role: "tool", content: item.output, tool_call_id: item.call_id });
        break;
      case "message": {
        if (item.role !== "assistant") {
          endTurn();
          const role = item.role === "developer" ? "system" : item.role;
          messages.push({ role, content: textOf(item.content) });
          break;
        }
        if (!turn || turn.text !== null || turn.calls.length > 0) turn = begin();
        turn.text = textOf(item.content);
      }
    }
  }
  endTurn();
  return messages;
}

/** Returns no message for reasoning without text or calls. */
function messageOfTurn({ reasoning, text, calls }: Turn): readonly Message[] {
  if (text === null && calls.length === 0) return [];
  const content = reasoning === "" ? text : withReasoning(text, reasoning);
  return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

const textOf = (parts: readonly { readonly text: string }[]): string =>
  parts.map(({ text }) => text).join("");
