/** Walks a few texts when a strategy is made, and looks at the states near the beginning: if this takes too much work, an answer would end with an error in its middle. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { Automaton, DEAD } from "./automaton.ts";
import type { Expression, Expressions } from "./expression.ts";
import { mixHash } from "./hash.ts";
import { createUnsharedArena } from "./string-terminal-machine.ts";
import { tooMuchWork } from "./work.ts";

/** The number of bytes of each text that the check walks. */
const WALKED = 48;

/** The number of states nearest to the beginning that the check looks at: about as many as the tokens of one mask reach. */
const NEAREST = 2_000;

/**
 * The most work for all texts of a regular expression, a part of a schema, or a grammar's rule: 0.7 s. A password with four patterns
 * takes 554,000; the grammars of the tests and of the guide take at most 40,000.
 */
const MOST_WORK_OF_CHECK = 700_000;

/** The most work for the mixed text and the states nearest to its end. A password with five conditions takes 169,000. */
const MOST_WORK_OF_MIXED_TEXT = 500_000;

/**
 * Walks one text that mixes `letters` wherever they are allowed, and looks at the states nearest to its end: the places of many
 * letters may have to be remembered there, as in texts without `a.{40}b`. Then walks one text for each of the letters, and one of the
 * first allowed bytes, and looks at the states nearest to the beginning.
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
    const mixed = walk(automaton, (place) => letters[(mixHash(place, 1) >>> 0) % letters.length] ?? -1);
    lookAround(automaton, mixed, MOST_WORK_OF_MIXED_TEXT);
    automaton.begin();
    for (const letter of [...letters, -1]) walk(automaton, () => letter);
    lookAround(automaton, automaton.start, MOST_WORK_OF_CHECK);
    return "";
  } catch (error) {
    if (!(error instanceof ConstraintLimitError)) throw error;
    return `${error.reason}, in the first ${WALKED} bytes of a text`;
  }
}

/**
 * @param letterAt the byte that is preferred at a place of the text, wherever this byte is allowed; -1: the first allowed byte
 * @returns the state at the text's end
 */
function walk(automaton: Automaton, letterAt: (place: number) => number): number {
  let state = automaton.start;
  for (let taken = 0; taken < WALKED; taken++) {
    const row = automaton.row(state);
    const letter = letterAt(taken);
    const preferred = letter >= 0 ? (row[letter] as number) : DEAD;
    const next = preferred === DEAD ? row.find((target) => target !== DEAD) : preferred;
    if (next === undefined) break;
    state = next;
  }
  return state;
}

/** Makes the rows of the states nearest to a state, as a mask does, for texts of ASCII. @throws ConstraintLimitError after `mostWork` */
function lookAround(automaton: Automaton, from: number, mostWork: number): void {
  const seen = new Set([from]);
  let looked = 0;
  for (const state of seen) {
    if (++looked > NEAREST) return;
    if (automaton.expressions.work > mostWork) throw tooMuchWork(mostWork);
    for (const next of automaton.row(state).subarray(0x20, 0x7f)) if (next !== DEAD) seen.add(next);
  }
}
