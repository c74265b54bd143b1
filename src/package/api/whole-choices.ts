/** Waits for the complete answers of a call's choices. */
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import type { StreamedCalls, StreamedToken } from "../../core/trace/text/text-stream-events.ts";
import type { ChatFinishReason } from "./chat-completion.ts";
import type { RunningChoices } from "./choices.ts";
import { finishReasonOf } from "./finish-reason.ts";

export interface WholeChoice {
  /** The output's text without reasoning; with tool calls, the text before them. */
  readonly text: string;
  /** The model's reasoning; null if it did not think. */
  readonly reasoning: string | null;
  readonly tokens: readonly StreamedToken[];
  readonly record: FinishedRecord;
  readonly calls: StreamedCalls;
  /** Absent if the model did not think. */
  readonly reasoningTokens?: number;
  readonly finishReason: ChatFinishReason;
}

/** The complete answers, in order. If one fails, the others are cancelled. Rejects with an ApiError, or with the error of `choices.events()`. */
export async function wholeChoices(choices: RunningChoices): Promise<readonly WholeChoice[]> {
  const growing = choices.started.map(() => ({
    text: "",
    reasoning: null as string | null,
    tokens: [] as StreamedToken[],
  }));
  const whole: WholeChoice[] = [];
  for await (const { choice, request, event } of choices.events()) {
    const part = growing[choice];
    if (!part) continue;
    switch (event.type) {
      case "retract":
        part.text = part.text.slice(0, part.text.length - event.length);
        break;
      case "text":
        part.text += event.text;
        part.tokens.push(...event.tokens);
        break;
      case "reasoning":
        part.reasoning = (part.reasoning ?? "") + event.text;
        break;
      case "retractReasoning":
        part.reasoning = part.reasoning?.slice(0, part.reasoning.length - event.length) ?? null;
        break;
      case "finished": {
        const { type: _, ...ended } = event;
        whole[choice] = { ...part, ...ended, finishReason: finishReasonOf(event, request) };
      }
    }
  }
  const missing = growing.findIndex((_, choice) => !whole[choice]);
  if (missing >= 0)
    throw new Error(
      `Choice ${missing} ended without its last record. This is a bug in Midtoken: please report it.`,
    );
  return whole;
}
