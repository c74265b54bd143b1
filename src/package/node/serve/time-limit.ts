/** Ends a request that takes too long, with an error for its client. */
import { ApiError } from "../../api/api-error.ts";

export class RequestTimeLimit {
  /** The request, with a signal that also aborts when its time is over. */
  readonly request: Request;
  readonly #timer: NodeJS.Timeout;

  constructor(asked: Request, ms: number) {
    const over = new AbortController();
    this.request = new Request(asked, { signal: AbortSignal.any([asked.signal, over.signal]) });
    this.#timer = setTimeout(() => over.abort(tooLong(ms)), ms);
    this.#timer.unref();
  }

  /** Called when the response has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }
}

function tooLong(ms: number): ApiError {
  return new ApiError(
    `The answer took more than ${ms / 1_000} s, the server's limit for a request: ask for fewer tokens, or try again.`,
    { status: 504, type: "engine_error", code: "request_timeout" },
  );
}
