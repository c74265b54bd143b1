/** Tells invalid requests apart from engine failures: over HTTP, the former get a 400, the latter a 500. */

import { type ErrorCode, errorCodes } from "../../../core/base/error-codes.ts";
import { recogniseCopies } from "../../../core/base/recognise-copies.ts";

/** Plain data; crosses the line to the engine. */
export interface Refusal {
  /** Field of the request that is wrong, where it is known. */
  readonly field: string | null;
  /** Null: the value of the field, or the request as a whole, is wrong. */
  readonly code: ErrorCode | null;
}

/** The errors that the checks of a request throw, by name: the classes are in folders that this folder need not load. */
const refusing = new Set([
  "RangeError",
  "RequestFormatError",
  "ConstraintLimitError",
  "StrategyError",
  "PromptError",
  // The request asks for layers, and the model has none to open.
  "UnsupportedGraphError",
]);

/** Null for an error that is not the request's. */
export function refusalOf(error: unknown): Refusal | null {
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
    recogniseCopies(RequestRefusedError, "RequestRefusedError");
  }
  override readonly name = "RequestRefusedError";
  readonly field: string | null;
  readonly code: ErrorCode | null;

  constructor(message: string, { field, code }: Refusal) {
    super(message);
    this.field = field;
    this.code = code;
  }
}
