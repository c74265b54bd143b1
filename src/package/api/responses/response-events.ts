/** A response as a stream of OpenAI's events, in OpenAI's order. */
import { ApiError } from "../api-error.ts";
import type { RunningChoices } from "../choices.ts";
import { finishReasonOf } from "../finish-reason.ts";
import type { ResponseEventBody, ResponseStreamEvent } from "./event-types.ts";
import { ResponseEventBuilder } from "./output-stream.ts";
import type { ResponsePlan } from "./read-request.ts";
import {
  createEndedResponse,
  createInProgressResponse,
  lastItemStatus,
  outputItemSettings,
  outputText,
} from "./response-answer.ts";
import { withResponseFieldNames } from "./response-fields.ts";
import type { ModelResponse, ResponseOutputItem } from "./response-types.ts";

/**
 * If a request fails before its first token, throws an ApiError, so that the HTTP status is correct. If it fails later, the
 * stream ends with `response.failed`. Throws the signal's reason when aborted.
 */
export async function* responseEvents(
  plan: ResponsePlan,
  choices: RunningChoices,
): AsyncGenerator<ResponseStreamEvent, void, undefined> {
  let sequence_number = 0;
  const numbered = (body: ResponseEventBody): ResponseStreamEvent => ({
    ...body,
    sequence_number: sequence_number++,
  });
  const begun = createInProgressResponse(plan, choices);
  const output = new ResponseEventBuilder(outputItemSettings(plan, choices));
  let isBegun = false;
  try {
    for await (const { event, request } of choices.events()) {
      const finishReason = event.type === "finished" ? finishReasonOf(event, request) : null;
      if (!isBegun) {
        yield numbered({ type: "response.created", response: begun });
        yield numbered({ type: "response.in_progress", response: begun });
        isBegun = true;
      }
      for (const body of output.push(event)) yield numbered(body);
      if (event.type !== "finished" || !finishReason) continue;
      const itemStatus = lastItemStatus(finishReason, event.calls);
      for (const body of output.end(itemStatus)) yield numbered(body);
      const end = { output: output.items(itemStatus), ended: event, finishReason };
      const status = finishReason === "length" ? "incomplete" : "completed";
      yield numbered({ type: `response.${status}`, response: createEndedResponse(plan, choices, end) });
    }
  } catch (thrown) {
    const error = withResponseFieldNames(thrown);
    if (!isBegun || !(error instanceof ApiError)) throw error;
    const response = failedResponse(begun, output.begunItems(), error);
    yield numbered({ type: "response.failed", response });
  }
}

function failedResponse(
  begun: ModelResponse,
  output: ResponseOutputItem[],
  { message, status, code, param }: ApiError,
): ModelResponse {
  return {
    ...begun,
    status: "failed",
    error: {
      code: status === 400 ? "invalid_prompt" : "server_error",
      message,
      param,
      midtoken: { code, status },
    },
    output,
    output_text: outputText(output),
  };
}
