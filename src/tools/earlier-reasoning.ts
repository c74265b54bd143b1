/** A conversation without what the model thought in earlier turns, for chat templates that do not take it out themselves. */
import type { Message } from "../sdk/request.ts";
import type { TraceReasoning } from "../trace/format-request.ts";
import { splitReasoning } from "../trace/reasoning.ts";

/**
 * Templates of models that think know what of it a later turn may see, and some keep it within one turn of several tool calls:
 * those that name its mark are left to it. The last message, which an answer continues, stays as it is.
 */
export function withoutEarlierReasoning(
  chatTemplate: string | null,
  marks: Pick<TraceReasoning, "open" | "close">,
  messages: readonly Message[],
): readonly Message[] {
  if (chatTemplate === null || chatTemplate.includes(marks.close)) return messages;
  return messages.map((message, place) => {
    const { role, content } = message;
    if (role !== "assistant" || typeof content !== "string" || isContinued(messages, place)) return message;
    const { answer, isOpen } = splitReasoning(content, { ...marks, isBegun: false });
    return isOpen ? message : { ...message, content: answer };
  });
}

function isContinued(messages: readonly Message[], place: number): boolean {
  return place === messages.length - 1 && !messages[place]?.tool_calls?.length;
}
