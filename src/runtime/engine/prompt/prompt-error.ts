import type { ErrorCode } from "../../../core/base/error-codes.ts";

/** A conversation cannot become a prompt. The message is for the user. */
export class PromptError extends Error {
  override readonly name = "PromptError";

  readonly code: ErrorCode | null;

  constructor(message: string, options: ErrorOptions & { readonly code?: ErrorCode } = {}) {
    super(message, options);
    this.code = options.code ?? null;
  }
}
