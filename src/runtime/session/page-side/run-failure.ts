/** The error of a request that never finished. */
import { type RequestRefusal, RequestRefusedError } from "../shared/refusal.ts";

interface RunFailure {
  readonly message: string;
  readonly refusal: RequestRefusal | null;
  readonly stopped?: boolean;
}

export function runFailureError({ message, refusal, stopped = false }: RunFailure): Error {
  if (stopped) return stoppedBeforeStartError();
  return refusal ? new RequestRefusedError(message, refusal) : new Error(message);
}

export function stoppedBeforeStartError(): DOMException {
  return new DOMException("The request was stopped before it began.", "AbortError");
}

/** The error if the worker did not react to a stop and was ended with the request. */
export function stoppedWithWorkerError(): DOMException {
  return new DOMException("The request was stopped, and the engine was restarted to end it.", "AbortError");
}

export function tokenizerTimeoutError(deadlineMs: number): Error {
  return new Error(
    `The model's tokenizer and chat template were not ready within ${deadlineMs / 1000} s. Choose another model.`,
  );
}

export function promptTimeoutError(deadlineMs: number): Error {
  return new Error(
    `The model's chat template or tokenizer did not finish this prompt within ${deadlineMs / 1000} s. Shorten the prompt, or choose another model.`,
  );
}
