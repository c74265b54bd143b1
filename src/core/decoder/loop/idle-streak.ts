/** How long a mod has answered `added` with nothing: what lets the next forward pass run before it has answered again. */

/** Answers in a row without a change, after which a mod is believed to be silent at the next `added`. */
const SHORTEST = 8;

export interface IdleStreak {
  /** Answers to `added` without a change since the last one with a change. */
  answers: number;
  /**
   * The streak that is needed. It doubles with each pass that the mod made the loop discard, so that no habit of a
   * mod costs more than a few passes.
   */
  needed: number;
}

export function createIdleStreak(): IdleStreak {
  return { answers: 0, needed: SHORTEST };
}

/** Notes one answer to `added`. `wasSpeculative`: the next pass did not wait for it. */
export function noteReply(streak: IdleStreak, isSilent: boolean, wasSpeculative: boolean): void {
  streak.answers = isSilent ? streak.answers + 1 : 0;
  if (!isSilent && wasSpeculative) streak.needed *= 2;
}
