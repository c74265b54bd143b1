/** Checks the options of a call, because with a misspelled `signal` the request could not be cancelled. */
import { refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { CallOptions } from "./completions-api.ts";

/** `signal`, and the HTTP options of OpenAI's client, which have no effect: an engine makes no HTTP requests. */
const known = ["signal", "timeout", "headers", "maxRetries", "query", "idempotencyKey", "fetchOptions"];

/** @throws TypeError for an option that neither Midtoken nor OpenAI's client has. */
export function checkCallOptions(options: CallOptions): void {
  refuseUnknownKeys(options, known, "", (message) => new TypeError(`The options of this call: ${message}`));
}
