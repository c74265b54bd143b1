/** The room that requests in progress take together, and the answer to a request for which there is none. */
import type { ErrorCode } from "../../../core/base/error-codes.ts";
import { ApiError } from "../../api/api-error.ts";
import type { Admission } from "../../http/fetch-handler.ts";
import type { Clock } from "./key-use.ts";

/** The most that all requests in progress may take together. */
export interface Capacity {
  readonly requests: number;
  /** Bytes of their bodies, as the clients announce them. */
  readonly bytes: number;
  /** The most requests that may wait for their turn: a further request gets a 429. Without it any number may wait. */
  readonly queue?: number | undefined;
}

export interface RequestSize {
  /** Bytes of the body, as the client announces them. */
  readonly bytes: number;
  /** Whether a model answers the request. */
  readonly isAnswered: boolean;
}

export interface Load {
  /** Requests in progress. */
  readonly requests: number;
  /** How many of them wait for their turn. */
  readonly waiting: number;
}

/** How much of the mean a request that has ended moves it. */
const weightOfLast = 0.1;
const longestWait = 60;

export class Room {
  readonly #capacity: Capacity;
  readonly #atOnce: () => number;
  #requests = 0;
  /** Requests that a model answers. */
  #answers = 0;
  #bytes = 0;
  #meanMs = 1_000;
  #onIdle: (() => void)[] = [];

  /** @param atOnce how many requests the models answer side by side */
  constructor(capacity: Capacity, atOnce: () => number) {
    this.#capacity = capacity;
    this.#atOnce = atOnce;
  }

  /** Requests in progress, and how many of them wait for their turn. */
  get load(): Load {
    return { requests: this.#requests, waiting: Math.max(0, this.#answers - this.#atOnce()) };
  }

  /** Null if there is room for the request. A request that no model answers, such as a list of models, never waits in the queue. */
  refusalOf({ bytes, isAnswered }: RequestSize): Admission | null {
    const { requests, bytes: mostBytes, queue = Number.POSITIVE_INFINITY } = this.#capacity;
    const atOnce = this.#atOnce();
    if (isAnswered && this.#answers >= atOnce + queue)
      return queueFull(queue, this.#secondsUntilFree(atOnce));
    if (this.#requests >= requests || this.#bytes + bytes > mostBytes)
      return unavailable("server_busy", "The server already has as many requests as it can run", 1);
    return null;
  }

  /** The returned function is called when the request has ended. */
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

  /** An estimate: so many requests end in the mean time of one. */
  #secondsUntilFree(atOnce: number): number {
    const seconds = Math.ceil(this.#meanMs / 1_000 / Math.max(1, atOnce));
    return Math.min(longestWait, Math.max(1, seconds));
  }
}

function queueFull(queue: number, seconds: number): Admission {
  const refusal = new ApiError(
    `The server's queue is full: ${queue} requests wait for their turn. Ask again in ${seconds} s.`,
    { status: 429, type: "rate_limit_error", code: "server_busy" },
  );
  return { headers: { "retry-after": String(seconds), "x-should-retry": "true" }, refusal };
}

export function unavailable(code: ErrorCode, why: string, seconds: number): Admission {
  const refusal = new ApiError(`${why}: ask again in ${seconds} s.`, {
    status: 503,
    type: "engine_error",
    code,
  });
  return { headers: { "retry-after": String(seconds) }, refusal };
}
