/**
 * Counts how many times in a row a mod replied to `added` without a change. After enough of these replies, the next forward
 * pass starts before the mod replies.
 */

/** After so many replies in a row without a change, the loop expects no change at the next `added`. */
const SHORTEST = 8;

export interface IdleStreak {
  /** Replies to `added` since the last reply with a change. */
  answers: number;
  /**
   * The number of replies without a change that the loop waits for. The number doubles with each pass that was discarded
   * because of the mod, so a mod can waste only a few passes.
   */
  needed: number;
}

export function createIdleStreak(): IdleStreak {
  return { answers: 0, needed: SHORTEST };
}

/** Counts one reply to `added`. `wasSpeculative`: the next pass had started before the reply. */
export function noteReply(streak: IdleStreak, isSilent: boolean, wasSpeculative: boolean): void {
  streak.answers = isSilent ? streak.answers + 1 : 0;
  if (!isSilent && wasSpeculative) streak.needed *= 2;
}
