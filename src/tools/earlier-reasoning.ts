/** A conversation without what the model thought in earlier turns, for chat templates that do not take it out themselves. */
import type { Message } from "../sdk/request.ts";

const marked = /^\s*<(think|thinking|reasoning)>.*?<\/\1>\s*/s;

/**
 * Templates of models that think know what of it a later turn may see, and some keep it within one turn of several tool calls:
 * those that name its mark are left to it. The last message, which an answer continues, stays as it is.
 */
export function withoutEarlierReasoning(
  chatTemplate: string | null,
  messages: readonly Message[],
): readonly Message[] {
  if (chatTemplate === null || /<\/(think|thinking|reasoning)>/.test(chatTemplate)) return messages;
  return messages.map((message, place) =>
    message.role !== "assistant" || typeof message.content !== "string" || isContinued(messages, place)
      ? message
      : { ...message, content: message.content.replace(marked, "") },
  );
}

function isContinued(messages: readonly Message[], place: number): boolean {
  return place === messages.length - 1 && !messages[place]?.tool_calls?.length;
}
