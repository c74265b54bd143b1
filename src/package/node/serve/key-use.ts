/** Counts the use of a key's limits: requests in progress, requests per minute, tokens per minute. */
import { ApiError } from "../../api/api-error.ts";
import type { Admission } from "../../http/fetch-handler.ts";
import type { KeyLimits } from "./key-file.ts";

/** Returns milliseconds; tests replace it. */
export type Clock = () => number;

/** A token bucket: it refills evenly, from empty to its capacity in a minute. */
class Bucket {
  readonly capacity: number;
  #level: number;
  #at: number;

  constructor(capacity: number, now: number) {
    this.capacity = capacity;
    this.#level = capacity;
    this.#at = now;
  }

  level(now: number): number {
    this.#level = Math.min(this.capacity, this.#level + ((now - this.#at) / 60_000) * this.capacity);
    this.#at = now;
    return this.#level;
  }

  /** The level may become negative, because the number of tokens is known only afterwards. */
  take(count: number, now: number): void {
    this.#level = this.level(now) - count;
  }

  /** Whole milliseconds until the bucket holds `count`. */
  msUntil(count: number, now: number): number {
    return Math.max(0, Math.round(((count - this.level(now)) / this.capacity) * 60_000));
  }
}

export class KeyUse {
  readonly #clock: Clock;
  #limits: KeyLimits;
  #requests: Bucket | null;
  #tokens: Bucket | null;
  #running = 0;

  constructor(limits: KeyLimits, clock: Clock) {
    this.#clock = clock;
    this.#limits = limits;
    this.#requests = this.#bucket(limits.rpm);
    this.#tokens = this.#bucket(limits.tpm);
  }

  /** Earlier use also counts under the new limits, but a limit that changed starts anew. */
  setLimits(limits: KeyLimits): void {
    if (limits.rpm !== this.#limits.rpm) this.#requests = this.#bucket(limits.rpm);
    if (limits.tpm !== this.#limits.tpm) this.#tokens = this.#bucket(limits.tpm);
    this.#limits = limits;
  }

  /** Counts the request unless it is refused. The caller calls `leave` when an admitted request has ended. */
  enter(): Admission {
    const now = this.#clock();
    const refusal = this.#refusal(now);
    if (refusal) return { headers: { ...this.#headers(now), ...refusal.headers }, refusal: refusal.error };
    this.#requests?.take(1, now);
    this.#running += 1;
    return { headers: this.#headers(now), refusal: null };
  }

  leave(): void {
    this.#running -= 1;
  }

  spend(tokens: number): void {
    this.#tokens?.take(tokens, this.#clock());
  }

  #bucket(capacity: number | null): Bucket | null {
    return capacity === null ? null : new Bucket(capacity, this.#clock());
  }

  #refusal(now: number) {
    const { concurrent, rpm, tpm } = this.#limits;
    if (this.#running >= concurrent)
      return tooMany(`This key has ${concurrent} requests in progress, which is its limit`, 1_000);
    const requestsMs = this.#requests?.msUntil(1, now) ?? 0;
    if (requestsMs > 0) return tooMany(`This key may make ${rpm} requests a minute`, requestsMs);
    const tokensMs = this.#tokens?.msUntil(1, now) ?? 0;
    if (tokensMs > 0) return tooMany(`This key may use ${tpm} tokens a minute`, tokensMs);
    return null;
  }

  /** OpenAI's rate-limit headers, for the limits that are set. */
  #headers(now: number): Readonly<Record<string, string>> {
    return {
      ...bucketHeaders("requests", this.#requests, now),
      ...bucketHeaders("tokens", this.#tokens, now),
    };
  }
}

function bucketHeaders(what: string, bucket: Bucket | null, now: number): Readonly<Record<string, string>> {
  if (!bucket) return {};
  return {
    [`x-ratelimit-limit-${what}`]: String(bucket.capacity),
    [`x-ratelimit-remaining-${what}`]: String(Math.max(0, Math.floor(bucket.level(now)))),
    [`x-ratelimit-reset-${what}`]: duration(bucket.msUntil(bucket.capacity, now)),
  };
}

/** A duration in OpenAI's format: `120ms`, `7s`, `1m30s`. */
function duration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}

function tooMany(why: string, ms: number) {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  const error = new ApiError(`${why}: try again in ${seconds} s.`, {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
  });
  return { error, headers: { "retry-after": String(seconds), "x-should-retry": "true" } };
}
