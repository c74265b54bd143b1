/** Errors of the engine as those of the AI SDK, whose helpers (`isInstance`, retries) know them. */
import { APICallError, NoSuchModelError } from "@ai-sdk/provider";
import { ApiError } from "../api/api-error.ts";
import type { ChatCompletionRequest } from "../api/chat-completion.ts";

/** An address for `APICallError`, which wants one; nothing is fetched from it. */
const address = "midtoken:/v1/chat/completions";

/** Errors that are not of the engine, an AbortError among them, are given back as they are. */
export function aiSdkError(error: unknown, request: ChatCompletionRequest): unknown {
  if (!(error instanceof ApiError)) return error;
  const { message, status, code } = error;
  if (code === "model_not_found") {
    return new NoSuchModelError({ modelId: request.model, modelType: "languageModel", message });
  }
  return new APICallError({
    message,
    url: address,
    requestBodyValues: request,
    statusCode: status,
    responseBody: JSON.stringify(error),
    cause: error,
    // The engine starts anew by itself: what failed with it may go well the next time. Anything else would fail again.
    isRetryable: status === 503,
    data: error.toJSON(),
  });
}
