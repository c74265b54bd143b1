/** Distinguishes invalid requests from engine failures: over HTTP, invalid requests get a 400, failures a 500. */

import { type ErrorCode, errorCodes } from "../../../core/base/error-codes.ts";
import { acceptInstancesOfCopies } from "../../../core/base/recognise-copies.ts";

/** Why a request is invalid. Plain data, sent over the connection to the engine. */
export interface RequestRefusal {
  /** The invalid field of the request, if it is known. */
  readonly field: string | null;
  /** Null if the value of the field, or the request as a whole, is wrong. */
  readonly code: ErrorCode | null;
}

/**
 * The errors that the checks of a request throw, by name, because their classes are in folders that this folder need not
 * load.
 */
const refusing = new Set([
  "RangeError",
  "RequestFormatError",
  "ConstraintLimitError",
  "StrategyError",
  "PromptError",
  // The request uses layers, but the model's layers cannot be opened.
  "UnsupportedGraphError",
]);

/** Null if the request did not cause the error. */
export function requestRefusalOf(error: unknown): RequestRefusal | null {
  if (!(error instanceof Error) || !refusing.has(error.name)) return null;
  const { field, code } = error as { field?: unknown; code?: unknown };
  return {
    field: typeof field === "string" ? field : null,
    code: errorCodes.find((each) => each === code) ?? null,
  };
}

/** The request was refused before it began. */
export class RequestRefusedError extends Error {
  static {
    acceptInstancesOfCopies(RequestRefusedError, "RequestRefusedError");
  }
  override readonly name = "RequestRefusedError";
  readonly field: string | null;
  readonly code: ErrorCode | null;

  constructor(message: string, { field, code }: RequestRefusal) {
    super(message);
    this.field = field;
    this.code = code;
  }
}
