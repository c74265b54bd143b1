/** Walks a few texts when a strategy is made: if they take too much work, an answer would end with an error in its middle. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { Automaton, DEAD } from "./automaton.ts";
import { type Expression, Expressions } from "./expression.ts";

/** Bytes of each text that the check walks. */
const WALKED = 48;

/**
 * Walks texts of these bytes, as far as they are allowed, and of others.
 * @throws ConstraintLimitError if the texts together take more work than one step of an answer may
 */
export function checkWork(
  build: (expressions: Expressions) => Expression,
  letters: readonly number[],
  where = "",
): void {
  try {
    const expressions = new Expressions();
    const automaton = new Automaton(expressions, build(expressions));
    automaton.begin();
    for (const letter of [...letters, -1]) walk(automaton, letter);
  } catch (error) {
    if (!(error instanceof ConstraintLimitError)) throw error;
    throw new ConstraintLimitError(`${error.reason}, within its first ${WALKED} bytes`, where);
  }
}

/** Prefers a byte wherever it is allowed; -1: takes the first allowed byte. */
function walk(automaton: Automaton, letter: number): void {
  let state = automaton.start;
  for (let taken = 0; taken < WALKED; taken++) {
    const row = automaton.row(state);
    const preferred = letter >= 0 ? (row[letter] as number) : DEAD;
    const next = preferred === DEAD ? row.find((target) => target !== DEAD) : preferred;
    if (next === undefined) return;
    state = next;
  }
}
