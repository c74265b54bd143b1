/** Errors as OpenAI's servers answer them. */

import { messageOf } from "../../core/base/message-of.ts";
import { ApiError, type ApiErrorBody, requestCancelled } from "../api/api-error.ts";

/** Any error as one of the API. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Error && error.name === "AbortError") return requestCancelled(error.message, error);
  return new ApiError(messageOf(error), {
    status: 500,
    type: "server_error",
    code: "internal_error",
    cause: error,
  });
}

/** UTF-16 units of a message: it may name what a client sent, and a client may send megabytes. */
const mostMessage = 2_000;
const mostParam = 200;

/** The body of an answer with an error. Long messages lose their middle. */
export function errorBody(error: unknown): ApiErrorBody {
  const { error: whole } = apiErrorOf(error).toJSON();
  const param = whole.param === null ? null : shortened(whole.param, mostParam);
  return { error: { ...whole, message: shortened(whole.message, mostMessage), param } };
}

/** The end of a message says what to do. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/** The error in the body of an answer with this status. */
export function errorFrom(text: string, status: number): ApiError {
  try {
    const { error } = JSON.parse(text) as ApiErrorBody;
    return new ApiError(error.message, { ...error, status });
  } catch (cause) {
    return new ApiError(`The answer has the status ${status} and no error in OpenAI's shape.`, {
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
    // OpenAI's clients retry after 409 or 500. A request that failed here would fail again, unless no engine was
    // there.
    headers: { "x-should-retry": String(status === 503), ...headers },
  });
}
