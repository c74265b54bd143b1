/** Errors in the format of OpenAI's servers. */

import { messageOf } from "../../core/base/message-of.ts";
import { ApiError, type ApiErrorBody, requestCancelledError } from "../api/api-error.ts";

/** Converts any error to an ApiError. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && error.name === "AbortError")
    return requestCancelledError(error.message, error);
  return new ApiError(messageOf(error), {
    status: 500,
    type: "server_error",
    code: "internal_error",
    cause: error,
  });
}

/** The most UTF-16 units of a message, because a message may quote what a client sent, which may be megabytes. */
const mostMessage = 2_000;
const mostParam = 200;

/** The body of an error response. Long messages are shortened in the middle. */
export function errorBody(error: unknown): ApiErrorBody {
  const { error: whole } = apiErrorOf(error).toJSON();
  const param = whole.param === null ? null : shortened(whole.param, mostParam);
  return { error: { ...whole, message: shortened(whole.message, mostMessage), param } };
}

/** Keeps the end of a message, which says what to do. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** The error in the body of a response with this status. */
export function parseErrorBody(text: string, status: number): ApiError {
  try {
    const { error } = JSON.parse(text) as ApiErrorBody;
    return new ApiError(error.message, { ...error, status });
  } catch (cause) {
    return new ApiError(`The response has the status ${status} but no error in OpenAI's format.`, {
      status: 500,
      type: "server_error",
      code: "internal_error",
      cause,
    });
  }
}

export function errorResponse(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const { status } = apiErrorOf(error);
  return Response.json(errorBody(error), {
    status,
    // OpenAI's clients would retry after 409 or 500. Here a failed request would fail again, except if no engine was there
    // (503).
    headers: { "x-should-retry": String(status === 503), ...headers },
  });
}
