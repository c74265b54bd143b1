/** Turns the end of a request into a finish reason, or into an error with its status. */
import type { EndError, FinishedRecord } from "../../core/trace/format/format.ts";
import type { StreamedCalls } from "../../core/trace/text/text-stream-events.ts";
import { ApiError, requestCancelledError } from "./api-error.ts";
import { promptTooLongError } from "./prompt-size.ts";
import type { StartedRequest } from "./start-request.ts";

/** The finish reason in OpenAI's words. @throws ApiError for a request that failed or was cancelled. */
export function finishReasonOf(
  { record, calls }: { readonly record: FinishedRecord; readonly calls?: StreamedCalls },
  request: StartedRequest,
): "stop" | "length" | "tool_calls" {
  switch (record.reason) {
    case "stop":
      // A stop sequence ended the output after complete calls.
      return calls && calls.list.length > 0 && calls.cut === null ? "tool_calls" : "stop";
    // A mod wrote the complete answer.
    case "forced":
      return "stop";
    case "length":
    case "budget":
      return "length";
    case "tool_calls":
      return "tool_calls";
    case "error":
      throw failureOf(record.error ?? { message: "The request failed.", mod: null }, request);
    case "cancelled":
      throw requestCancelledError(`The request ${request.id} was cancelled.`);
  }
}

/** The HTTP statuses for failures of the server that runs the model. */
const upstreamStatus = { upstream_failed: 502, upstream_unavailable: 503 } as const;

function failureOf({ message, mod, code }: EndError, { mods, promptField }: StartedRequest): ApiError {
  if (code === "context_length_exceeded") return promptTooLongError(message, promptField);
  if (code === "upstream_failed" || code === "upstream_unavailable")
    return new ApiError(message, { status: upstreamStatus[code], type: "server_error", code });
  if (mod === null)
    return new ApiError(message, { status: 500, type: "engine_error", code: "engine_failed" });
  const name = mods[mod];
  if (name === undefined) {
    // The last mod is the engine's own mod, which enforces tools and response format.
    return new ApiError(message, { status: 422, type: "invalid_request_error", code: "format_not_kept" });
  }
  // The engine's message already names the mod; a mod's own message does not.
  const named = code === "mod_failed" ? message : `The mod "${name}" ended the request: ${message}`;
  return new ApiError(named, { status: 422, type: "invalid_request_error", code: "mod_failed" });
}
