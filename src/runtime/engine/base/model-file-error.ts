/** A file of a model is missing or invalid. The message is for the user. */
import { redactUrlSecrets } from "../../../core/base/without-secrets.ts";

export class ModelFileError extends Error {
  override readonly name = "ModelFileError";
  /** How many milliseconds the server asks clients to wait. */
  readonly retryAfterMs: number | null;
  constructor(
    message: string,
    /** Path in the model's folder, or the address. */
    readonly file: string,
    /** HTTP status, if the server answered with an error. */
    readonly status: number | null = null,
    options: ErrorOptions & { readonly retryAfterMs?: number | null } = {},
  ) {
    super(redactUrlSecrets(message), options);
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
