/**
 * The key of one place in the KV cache: the token, and the vectors that steered it when it was computed. Two places
 * are equal only if token and steering are equal, so the cache never reuses a text under another steering. Both are
 * packed into one number, which is the token itself if nothing steered it.
 */
import type { TokenId } from "../../sdk/request.ts";

export type CacheKey = number;

/** Above any vocabulary. A number has 53 bits; 29 are left for steerings. */
const steeringUnit = 2 ** 24;

/** @param steering as `SteeringTable` numbers them; 0 for none */
export function cacheKey(token: TokenId, steering: number): CacheKey {
  return steering * steeringUnit + token;
}

export function tokenOfKey(key: CacheKey): TokenId {
  return key % steeringUnit;
}

export function steeringOfKey(key: CacheKey): number {
  return Math.floor(key / steeringUnit);
}

/** Tokens that follow one another under the same steering. */
export interface SteeredRun {
  readonly steering: number;
  readonly tokens: readonly TokenId[];
  /** Place after the last of them. */
  readonly end: number;
}

/** Splits a text into runs of consecutive tokens that have the same steering. */
export function steeredRuns(keys: readonly CacheKey[]): SteeredRun[] {
  const runs: SteeredRun[] = [];
  for (let start = 0; start < keys.length; ) {
    const steering = steeringOfKey(keys[start] as CacheKey);
    let end = start + 1;
    while (end < keys.length && steeringOfKey(keys[end] as CacheKey) === steering) end++;
    runs.push({ steering, tokens: keys.slice(start, end).map(tokenOfKey), end });
    start = end;
  }
  return runs;
}
