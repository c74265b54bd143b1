/** What a request rejects with that never came to its end. */
import { type Refusal, RequestRefusedError } from "./refusal.ts";

interface RunFailure {
  readonly message: string;
  readonly refusal: Refusal | null;
  readonly stopped?: boolean;
}

export function failureOf({ message, refusal, stopped = false }: RunFailure): Error {
  if (stopped) return stoppedBefore();
  return refusal ? new RequestRefusedError(message, refusal) : new Error(message);
}

export function stoppedBefore(): DOMException {
  return new DOMException("The request was stopped before it began.", "AbortError");
}
