/** Walks a few texts when a strategy is made, and looks at the states near the beginning: if this takes too much work, an answer would end with an error in its middle. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { Automaton, DEAD } from "./automaton.ts";
import type { Expression, Expressions } from "./expression.ts";
import { createUnsharedArena } from "./string-terminal-machine.ts";

/** The number of bytes of each text that the check walks. */
const WALKED = 48;

/** The number of states nearest to the beginning that the check looks at: about as many as the tokens of one mask reach. */
const NEAREST = 2_000;

/**
 * The most work for all texts of a regular expression, a part of a schema, or a grammar's rule: 0.7 s. A password with four patterns
 * takes 554,000; the grammars of the tests and of the guide take at most 40,000.
 */
const MOST_WORK_OF_CHECK = 700_000;

/**
 * Walks one text for each of `letters`, which has this byte wherever the byte is allowed, and one text of the first allowed bytes.
 * Then looks at the states nearest to the beginning.
 * @throws ConstraintLimitError with `where`, if all of this together takes more work than a check may
 */
export function checkWorkOnSampleTexts(
  build: (expressions: Expressions) => Expression,
  letters: readonly number[],
  where: string,
): void {
  const reason = reasonToRefuse(build, letters);
  if (reason !== "") throw new ConstraintLimitError(reason, where);
}

/** Checks as `checkWorkOnSampleTexts` does. @returns why the expression is refused; empty if it is not */
export function reasonToRefuse(
  build: (expressions: Expressions) => Expression,
  letters: readonly number[],
): string {
  try {
    const expressions = createUnsharedArena(MOST_WORK_OF_CHECK);
    const automaton = new Automaton(expressions, build(expressions));
    automaton.begin();
    for (const letter of [...letters, -1]) walk(automaton, letter);
    lookAround(automaton);
    return "";
  } catch (error) {
    if (!(error instanceof ConstraintLimitError)) throw error;
    return `${error.reason}, in the first ${WALKED} bytes of a text`;
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

/** Makes the rows of the nearest states, as a mask does, for texts of ASCII. */
function lookAround(automaton: Automaton): void {
  const seen = new Set([automaton.start]);
  let looked = 0;
  for (const state of seen) {
    if (++looked > NEAREST) return;
    for (const next of automaton.row(state).subarray(0x20, 0x7f)) if (next !== DEAD) seen.add(next);
  }
}
