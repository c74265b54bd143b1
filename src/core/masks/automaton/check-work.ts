/** Walks a few texts when a strategy is made: if they take too much work, an answer would end with an error in its middle. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { Automaton, DEAD } from "./automaton.ts";
import { type Expression, Expressions } from "./expression.ts";

/** The number of bytes of each text that the check walks. */
const WALKED = 48;

/** The most work for all texts of a check: half a second. The grammars of the tests and of the guide take at most 40,000. */
export const MOST_CHECKED = 500_000;

/**
 * Walks texts that prefer these bytes, and other texts.
 * @throws ConstraintLimitError if the texts together take more work than a check may
 */
export function checkWork(
  build: (expressions: Expressions) => Expression,
  letters: readonly number[],
  where = "",
): void {
  if (workOf(build, letters) > MOST_CHECKED) throw tooMuchChecked(where);
}

export function tooMuchChecked(where: string): ConstraintLimitError {
  const most = MOST_CHECKED.toLocaleString("en");
  return new ConstraintLimitError(`its first ${WALKED} bytes take more than ${most} operations`, where);
}

/** The work that the texts of `checkWork` take together. The walk ends when it is more than `most`. */
export function workOf(
  build: (expressions: Expressions) => Expression,
  letters: readonly number[],
  most = MOST_CHECKED,
): number {
  const expressions = new Expressions();
  try {
    const automaton = new Automaton(expressions, build(expressions));
    automaton.begin();
    for (const letter of [...letters, -1]) {
      walk(automaton, letter, most);
      if (expressions.meter.work > most) break;
    }
    return expressions.meter.work;
  } catch (error) {
    if (error instanceof ConstraintLimitError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Prefers a byte wherever it is allowed; -1: takes the first allowed byte. */
function walk(automaton: Automaton, letter: number, most: number): void {
  const { meter } = automaton.expressions;
  let state = automaton.start;
  for (let taken = 0; taken < WALKED && meter.work <= most; taken++) {
    const row = automaton.row(state);
    const preferred = letter >= 0 ? (row[letter] as number) : DEAD;
    const next = preferred === DEAD ? row.find((target) => target !== DEAD) : preferred;
    if (next === undefined) return;
    state = next;
  }
}
