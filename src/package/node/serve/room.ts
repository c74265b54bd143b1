/** The capacity that all requests in progress share, and the response to a request that exceeds it. */
import type { ErrorCode } from "../../../core/base/error-codes.ts";
import { ApiError } from "../../api/api-error.ts";
import type { Admission } from "../../http/fetch-handler.ts";
import type { Clock } from "./key-use.ts";

/** The limits for all requests in progress together. */
export interface ServerCapacity {
  readonly requests: number;
  /** Bytes of their bodies, as announced by the clients. */
  readonly bytes: number;
  /** The most requests that may wait for their turn: a further request gets a 429. No limit unless given. */
  readonly queue?: number | undefined;
}

export interface RequestSize {
  /** Bytes of the body, as announced by the client. */
  readonly bytes: number;
  /** Whether a model answers the request. */
  readonly isAnswered: boolean;
}

export interface ServerLoad {
  /** Number of requests in progress. */
  readonly requests: number;
  /** How many of them wait for their turn. */
  readonly waiting: number;
}

/** Weight of the last request in the moving average of durations. */
const weightOfLast = 0.1;
const longestWait = 60;

export class RequestRoom {
  readonly #capacity: ServerCapacity;
  readonly #atOnce: () => number;
  #requests = 0;
  /** Number of requests that a model answers. */
  #answers = 0;
  #bytes = 0;
  #meanMs = 1_000;
  #onIdle: (() => void)[] = [];

  /** @param atOnce how many requests the models answer at the same time */
  constructor(capacity: ServerCapacity, atOnce: () => number) {
    this.#capacity = capacity;
    this.#atOnce = atOnce;
  }

  /** The number of requests in progress, and how many of them wait for their turn. */
  get load(): ServerLoad {
    return { requests: this.#requests, waiting: Math.max(0, this.#answers - this.#atOnce()) };
  }

  /** Null if there is capacity for the request. A request that no model answers, such as a list of models, never waits in the queue. */
  refusalOf({ bytes, isAnswered }: RequestSize): Admission | null {
    const { requests, bytes: mostBytes, queue = Number.POSITIVE_INFINITY } = this.#capacity;
    const atOnce = this.#atOnce();
    if (isAnswered && this.#answers >= atOnce + queue)
      return queueFull(queue, this.#secondsUntilFree(atOnce));
    if (this.#requests >= requests || this.#bytes + bytes > mostBytes)
      return refuseAsUnavailable("server_busy", "The server already has as many requests as it can run", 1);
    return null;
  }

  /** Counts the request. The caller calls the returned function when the request has ended. */
  enter({ bytes, isAnswered }: RequestSize, clock: Clock): () => void {
    const begun = clock();
    const answers = isAnswered ? 1 : 0;
    this.#requests += 1;
    this.#answers += answers;
    this.#bytes += bytes;
    return () => {
      this.#requests -= 1;
      this.#answers -= answers;
      this.#bytes -= bytes;
      if (isAnswered) this.#meanMs += weightOfLast * (clock() - begun - this.#meanMs);
      if (this.#requests > 0) return;
      for (const listener of this.#onIdle.splice(0)) listener();
    };
  }

  /** Resolves when no request is in progress. */
  idle(): Promise<void> {
    if (this.#requests === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Seconds until a place is likely free: in the mean duration of a request, `atOnce` requests end. */
  #secondsUntilFree(atOnce: number): number {
    const seconds = Math.ceil(this.#meanMs / 1_000 / Math.max(1, atOnce));
    return Math.min(longestWait, Math.max(1, seconds));
  }
}

function queueFull(queue: number, seconds: number): Admission {
  const refusal = new ApiError(
    `The server's queue is full: ${queue} requests are waiting. Try again in ${seconds} s.`,
    { status: 429, type: "rate_limit_error", code: "server_busy" },
  );
  return { headers: { "retry-after": String(seconds), "x-should-retry": "true" }, refusal };
}

export function refuseAsUnavailable(code: ErrorCode, why: string, seconds: number): Admission {
  const refusal = new ApiError(`${why}: try again in ${seconds} s.`, {
    status: 503,
    type: "engine_error",
    code,
  });
  return { headers: { "retry-after": String(seconds) }, refusal };
}
