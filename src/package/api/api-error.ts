/**
 * Errors of the public API. Each error has the status and code of an HTTP response, so that callers in the page and over HTTP
 * handle the same errors.
 */
import type { ErrorCode } from "../../core/base/error-codes.ts";
import { acceptInstancesOfCopies } from "../../core/base/recognise-copies.ts";
import { showJson } from "../../core/base/show.ts";

/** OpenAI's `error.type`. */
export type ApiErrorType =
  | "invalid_request_error"
  | "not_found_error"
  | "conflict_error"
  | "rate_limit_error"
  | "server_error"
  | "engine_error";

export interface ApiErrorFields {
  /**
   * HTTP status: 400 for an invalid request, 404 for a model, mod or request that does not exist, 409 for a name or id that is
   * taken and for a request that has not finished, 413 for too many or too long mods or a too long body, 422 for a request
   * whose mod failed, 499 for a request that its client cancelled, 500, 501 and 503 for the engine, 502 and 503 for a server
   * that runs the model. `midtoken serve` also answers with 401, 403, 405, 415, 429 and 504.
   */
  readonly status: number;
  readonly type: ApiErrorType;
  /** The code for programs, for example `model_not_found`: one of `ErrorCode`. */
  readonly code: ErrorCode;
  /** The path of the wrong field, such as `messages[0].role`; null if no field is wrong. */
  readonly param?: string | null;
  readonly cause?: unknown;
}

/** The body of an error response, as OpenAI's clients read it. */
export interface ApiErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ApiErrorType;
    readonly code: ErrorCode;
    readonly param: string | null;
  };
}

/** The message says what happened, with which value, and what to do next. */
export class ApiError extends Error {
  static {
    acceptInstancesOfCopies(ApiError, "ApiError");
  }
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: ApiErrorType;
  readonly code: ErrorCode;
  readonly param: string | null;

  constructor(message: string, { status, type, code, param = null, cause }: ApiErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.type = type;
    this.code = code;
    this.param = param;
  }

  toJSON(): ApiErrorBody {
    const { message, type, code, param } = this;
    return { error: { message, type, code, param } };
  }
}

/** The error for an invalid request. `param` is the field's path. */
export function invalidRequestError(
  message: string,
  param: string | null,
  code: ErrorCode = "invalid_value",
): ApiError {
  return new ApiError(message, { status: 400, type: "invalid_request_error", code, param });
}

/** The error for a request that was cancelled before or after it began. */
export function requestCancelledError(message: string, cause?: unknown): ApiError {
  return new ApiError(message, {
    status: 499,
    type: "invalid_request_error",
    code: "request_cancelled",
    cause,
  });
}

/** The error for an unknown model. `name`: as requested. `models`: the ids of the available models. */
export function modelNotFoundError(
  name: string,
  models: readonly string[],
  cure = "No model is loaded.",
): ApiError {
  const there = models.length === 0 ? cure : `The loaded models are ${models.join(", ")}.`;
  return new ApiError(`There is no model ${showJson(name)}. ${there}`, {
    status: 404,
    type: "not_found_error",
    code: "model_not_found",
    param: "model",
  });
}

export function engineDisposedError(): ApiError {
  return new ApiError("The engine was disposed of: create another one with createEngine.", {
    status: 503,
    type: "engine_error",
    code: "engine_disposed",
  });
}
