/** A rate limit: `atOnce` actions without a wait, and `perSecond` actions a second in the long run. */
export interface RateLimit {
  readonly atOnce: number;
  readonly perSecond: number;
}

export interface RateLimiter {
  /** Uses one action. Returns false, and uses nothing, if no action is left. */
  take(): boolean;
  /** Milliseconds until `count` actions are left; 0 if so many are left now. */
  waitMs(count: number): number;
}

/** @param now milliseconds of a monotonic clock */
export function createRateLimiter({ atOnce, perSecond }: RateLimit, now: () => number): RateLimiter {
  let left: number = atOnce;
  let countedAt = now();
  const refill = () => {
    const at = now();
    left = Math.min(atOnce, left + ((at - countedAt) / 1_000) * perSecond);
    countedAt = at;
  };
  return {
    take() {
      refill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    waitMs(count) {
      refill();
      return left >= count ? 0 : Math.ceil(((count - left) / perSecond) * 1_000);
    },
  };
}
