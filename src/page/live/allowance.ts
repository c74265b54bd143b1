/** How often something may happen: `atOnce` times without a wait, and `perSecond` times a second in the long run. */
export interface Pace {
  readonly atOnce: number;
  readonly perSecond: number;
}

export interface Allowance {
  /** Uses one of the times that are left. False if none is left: nothing is used then. */
  take(): boolean;
  /** Milliseconds until `count` times are left; 0 if they are. */
  waitMs(count: number): number;
}

/** @param now milliseconds of a clock that only goes forward. */
export function createAllowance({ atOnce, perSecond }: Pace, now: () => number): Allowance {
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
