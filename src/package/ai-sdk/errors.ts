/** Converts the engine's errors to errors of the AI SDK, so that its helpers (`isInstance`, retries) recognise them. */
import { APICallError, NoSuchModelError } from "@ai-sdk/provider";
import { ApiError } from "../api/api-error.ts";
import type { ChatCompletionRequest } from "../api/chat-completion.ts";

/** A placeholder address: `APICallError` requires one, and nothing is fetched from it. */
const address = "midtoken:/v1/chat/completions";

/** Converts an error of the engine. Other errors, such as an AbortError, are returned unchanged. */
export function toAiSdkError(error: unknown, request: ChatCompletionRequest): unknown {
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
    // After a failure of the engine (503), the engine restarts by itself, so another attempt may succeed. After other errors
    // it would fail again.
    isRetryable: status === 503,
    data: error.toJSON(),
  });
}
