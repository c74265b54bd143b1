/**
 * What the KV cache holds at a place: a token, and what steered it when it was computed. Two places are the same only where both
 * are, so that no text is ever reused under another steering. One number for both, which is the token itself where nothing steered.
 */
import type { TokenId } from "../../sdk/request.ts";

export type CacheKey = number;

/** More than any vocabulary has. Of a number's 53 bits 29 are left for steerings. */
const steeringUnit = 2 ** 24;

/** @param steering as `SteeringTable` numbers them; 0 for none */
export function cacheKey(token: TokenId, steering: number): CacheKey {
  return steering * steeringUnit + token;
}

export function tokenOf(key: CacheKey): TokenId {
  return key % steeringUnit;
}

export function steeringOf(key: CacheKey): number {
  return Math.floor(key / steeringUnit);
}

/** Tokens that follow one another under the same steering. */
export interface SteeredRun {
  readonly steering: number;
  readonly tokens: readonly TokenId[];
  /** Place after the last of them. */
  readonly end: number;
}

export function steeredRuns(keys: readonly CacheKey[]): SteeredRun[] {
  const runs: SteeredRun[] = [];
  for (let start = 0; start < keys.length; ) {
    const steering = steeringOf(keys[start] as CacheKey);
    let end = start + 1;
    while (end < keys.length && steeringOf(keys[end] as CacheKey) === steering) end++;
    runs.push({ steering, tokens: keys.slice(start, end).map(tokenOf), end });
    start = end;
  }
  return runs;
}
