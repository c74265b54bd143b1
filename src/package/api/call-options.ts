/** The options of one call, checked: a misspelled `signal` would leave a request that cannot be cancelled. */
import { refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { CallOptions } from "./completions-api.ts";

/** `signal`, and what OpenAI's client takes for its HTTP requests: an engine makes none, so these change nothing. */
const known = ["signal", "timeout", "headers", "maxRetries", "query", "idempotencyKey", "fetchOptions"];

/** @throws TypeError for an option that neither an engine nor OpenAI's client knows. */
export function checkCallOptions(options: CallOptions): void {
  refuseUnknownKeys(options, known, "", (message) => new TypeError(`The options of this call: ${message}`));
}
