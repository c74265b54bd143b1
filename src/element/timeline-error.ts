/** What the element says when a run cannot be shown. */
import { withoutSecrets } from "../base/without-secrets.ts";

/** The message says what happened, with which value, and what to do. */
export class TimelineError extends Error {
  override readonly name = "TimelineError";
  constructor(message: string, options?: ErrorOptions) {
    super(withoutSecrets(message), options);
  }
}
