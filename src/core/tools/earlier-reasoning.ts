/** Removes the model's reasoning in earlier turns from a conversation, for chat templates that do not remove it. */
import type { Message } from "../sdk/request.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import { splitReasoning } from "../trace/text/reasoning.ts";

/** The marks with which the API writes reasoning of earlier answers, for every model (`api/read-messages.ts`). */
const written = { open: "<think>", close: "</think>", isBegun: false };

/**
 * Removes the reasoning of earlier turns from messages. Chat templates of thinking models do this themselves, and some keep
 * reasoning within a turn of several tool calls. So if a template names the mark, only `<think>` is replaced with the model's
 * own marks. The last message, which the answer continues, stays unchanged.
 */
export function withoutEarlierReasoning(
  chatTemplate: string | null,
  marks: Omit<TraceReasoning, "isBegun">,
  messages: readonly Message[],
): readonly Message[] {
  if (chatTemplate === null) return messages;
  const isLeft = chatTemplate.includes(marks.close);
  if (isLeft && marks.open === written.open) return messages;
  return messages.map((message, place) => {
    const { role, content } = message;
    if (role !== "assistant" || typeof content !== "string" || isContinued(messages, place)) return message;
    const own = splitReasoning(content, { ...marks, isBegun: false });
    const { reasoning, answer, isOpen } = own.reasoning === null ? splitReasoning(content, written) : own;
    if (isOpen || (isLeft && (own.reasoning !== null || reasoning === null))) return message;
    const thought = isLeft ? `${marks.open}\n${reasoning}\n${marks.close}\n\n` : "";
    return { ...message, content: thought + answer };
  });
}

function isContinued(messages: readonly Message[], place: number): boolean {
  return place === messages.length - 1 && !messages[place]?.tool_calls?.length;
}
