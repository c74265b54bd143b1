/** Errors as OpenAI's servers answer them. */

import { ApiError, requestCancelled } from "../api/api-error.ts";
import { messageOf } from "../base/message-of.ts";

/** Any error as one of the API. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && error.name === "AbortError") return requestCancelled(error.message, error);
  return new ApiError(messageOf(error), {
    ...{ status: 500, type: "server_error", code: "internal_error", cause: error },
  });
}

export function errorResponse(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const { status } = apiErrorOf(error);
  return Response.json(apiErrorOf(error), {
    status,
    // OpenAI's clients ask again where a server answers 409 or 500. What failed here fails again, unless no engine was there.
    headers: { "x-should-retry": String(status === 503), ...headers },
  });
}
