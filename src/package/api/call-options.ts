/** Checks the options of one call: a misspelled `signal` would leave a request that cannot be cancelled. */
import { refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { CallOptions } from "./completions-api.ts";

/** `signal`, and the HTTP options of OpenAI's client. An engine makes no HTTP requests, so these change nothing. */
const known = ["signal", "timeout", "headers", "maxRetries", "query", "idempotencyKey", "fetchOptions"];

/** @throws TypeError for an option that neither an engine nor OpenAI's client knows. */
export function checkCallOptions(options: CallOptions): void {
  refuseUnknownKeys(options, known, "", (message) => new TypeError(`The options of this call: ${message}`));
}
