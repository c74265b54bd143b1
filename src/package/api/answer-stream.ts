/** Turns the records of a request into text and tool calls while they arrive. Loaded with the first request. */

import { readPartialCalls } from "../../core/tools/partial-calls.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { ToolCallStream } from "../../core/trace/text/call-stream.ts";
import { ReasoningStream } from "../../core/trace/text/reasoning-stream.ts";
import { TextTakenBackError } from "../../core/trace/text/text-stream.ts";
import type { AnswerStreamEvent } from "../../core/trace/text/text-stream-events.ts";
import type { LoadedModel } from "../../runtime/session/shared/loading.ts";
import { ApiError } from "./api-error.ts";
import type { EventQueue } from "./event-queue.ts";
import type { RequestPlan } from "./start-request.ts";

export interface AnswerReceiverOptions {
  readonly plan: RequestPlan;
  /** For each mod of the request: whether its source names an action that removes text. */
  readonly mayTakeBack: readonly boolean[];
  /** The format of the model's tool calls. */
  readonly toolCalls: LoadedModel["toolCalls"];
}

/** Receives records and pushes their text. If a mod removes text that was already sent, the stream and the request end with an error. */
export function createAnswerReceiver(
  about: AnswerReceiverOptions,
  events: EventQueue<AnswerStreamEvent>,
  stop: () => void,
): (records: readonly TraceRecord[]) => void {
  const stream = createStream(about);
  let isBroken = false;
  return (records) => {
    if (isBroken) return;
    try {
      for (const event of records.flatMap((record) => stream.push(record))) events.push(event);
    } catch (error) {
      if (!(error instanceof TextTakenBackError)) throw error;
      isBroken = true;
      events.end(takenBack(error.message));
      stop();
    }
  };
}

function createStream({
  plan: { text, request },
  mayTakeBack,
  toolCalls,
}: AnswerReceiverOptions): ReasoningStream {
  const { format, markers } = toolCalls;
  const { tools = [], toolChoice = "auto", responseFormat } = request;
  const rules = {
    format,
    hasText: toolChoice === "auto" && !responseFormat,
    isRequired: toolChoice !== "auto" && toolChoice !== "none",
  };
  const calls = new ToolCallStream({
    markers,
    read: (answer, isOver) => readPartialCalls(answer, rules, isOver),
  });
  return new ReasoningStream({
    ...text,
    mayTakeBack,
    ...(tools.length > 0 && { calls }),
  });
}

function takenBack(message: string): ApiError {
  return new ApiError(message, {
    status: 422,
    type: "invalid_request_error",
    code: "text_taken_back",
    param: "midtoken.holdback",
  });
}
