/** The tool calls of an answer, sent when the request has ended. */
import type { FinishedRecord } from "../format/format.ts";
import type { AnswerCalls, StreamedCalls, TextStreamEvent } from "./text-stream-events.ts";
import { lengthBeforeCalls } from "./text-stream-holds.ts";

/** Holds back all text from the first place where a call may begin, until the request has ended. */
export const createWholeToolCallStream = (): AnswerCalls => ({
  seed: 0,
  prompt: [],
  marker: () => undefined,
  read: ({ text }, isOver) => ({ textLength: isOver ? text.length : lengthBeforeCalls(text), calls: null }),
  send: (calls) =>
    calls.flatMap(({ id, name, arguments: text }, place): TextStreamEvent[] => {
      const begin = { type: "call", place, id, name } as const;
      return text === "" ? [begin] : [begin, { type: "callArguments", place, text }];
    }),
});

/** The calls of a `finished` record. They are always whole. */
export function recordedToolCalls({ toolCalls }: Pick<FinishedRecord, "toolCalls">): StreamedCalls {
  const list = toolCalls.map(({ id, function: { name, arguments: written } }) => ({
    id,
    name,
    arguments: written,
  }));
  return { list, cut: null };
}
