/** How long a mod has answered `added` with nothing: what lets the next forward pass run before it has answered again. */

/** Answers in a row without a change, after which a mod is believed to be silent at the next `added`. */
const SHORTEST = 8;

export interface Silence {
  /** Answers to `added` without a change since the last one with a change. */
  answers: number;
  /** So many are needed: twice as many after each pass that the mod made the loop take back, so that no habit of a mod costs more than a few passes. */
  needed: number;
}

export function createSilence(): Silence {
  return { answers: 0, needed: SHORTEST };
}

/** Notes one answer to `added`. `passRanAhead`: the next pass did not wait for it. */
export function noteAnswer(silence: Silence, isSilent: boolean, passRanAhead: boolean): void {
  silence.answers = isSilent ? silence.answers + 1 : 0;
  if (!isSilent && passRanAhead) silence.needed *= 2;
}
