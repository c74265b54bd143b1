/** Lets a notice about a server through at most once a minute: hundreds of conversations may meet the same trouble at once. */

const pauseMs = 60_000;

interface LatestNotice {
  /** Milliseconds, by the clock of `admit`. */
  readonly at: number;
  /** Number of notices of the same kind that were left out since then. */
  leftOut: number;
}

export class NoticeLimit {
  readonly #latest = new Map<string, LatestNotice>();

  /**
   * Returns the notice, with the number of notices that were left out before. Returns null if a notice of this kind was returned
   * less than a minute ago. @param now milliseconds
   */
  admit(kind: string, notice: string, now: number = performance.now()): string | null {
    const before = this.#latest.get(kind);
    if (before && now - before.at < pauseMs) {
      before.leftOut += 1;
      return null;
    }
    this.#latest.set(kind, { at: now, leftOut: 0 });
    if (!before?.leftOut) return notice;
    return `${notice} (${before.leftOut} more such notices since the last one.)`;
  }
}
