/** Counts the texts that a state allows: an array cannot have more different items. */
import { type Automaton, DEAD } from "./automaton.ts";
import { type Expression, headOf } from "./expression-node.ts";
import { getOrCreate } from "./get-or-create.ts";

interface Place {
  readonly state: number;
  /** The next states, each with the number of bytes that lead to it. */
  readonly nexts: readonly (readonly [state: number, bytes: number])[];
  at: number;
  sum: number;
}

/** An array with more items would be longer than any string in JavaScript, so more texts count as infinitely many. */
const MOST_TEXTS = 2 ** 30;

/** The number of texts that a state allows: exact up to 2^30, Infinity above. @throws ConstraintLimitError if counting needs too many states */
export function countTexts(automaton: Automaton, start: number): number {
  if (start === DEAD) return 0;
  const counts = new Map<number, number>();
  const open = new Set<number>();
  const path: Place[] = [];
  const enter = (state: number) => {
    open.add(state);
    path.push({ state, nexts: nextsOf(automaton, state), at: 0, sum: automaton.isAccepting(state) ? 1 : 0 });
  };
  enter(start);
  for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
    const next = place.nexts[place.at];
    if (next === undefined) {
      counts.set(place.state, place.sum);
      open.delete(place.state);
      path.pop();
      continue;
    }
    const [state, bytes] = next;
    const count = counts.get(state);
    if (count === undefined) {
      // Every state can reach an end, so a state that leads back to itself has infinitely many texts.
      if (open.has(state)) return Number.POSITIVE_INFINITY;
      enter(state);
      continue;
    }
    place.at++;
    place.sum += bytes * count;
    // The start has at least as many texts as this state.
    if (place.sum > MOST_TEXTS) return Number.POSITIVE_INFINITY;
  }
  return counts.get(start) ?? 0;
}

const endless = new WeakMap<Expression, boolean>();

/** Whether an expression allows infinitely many texts. */
function isEndless(automaton: Automaton, expression: Expression): boolean {
  return getOrCreate(
    endless,
    expression,
    () => countTexts(automaton, automaton.stateOf(expression)) === Number.POSITIVE_INFINITY,
  );
}

/** Whether nothing is seen yet, and infinitely many texts are possible for each `distinct` that comes first (distinct.ts). */
export function isFreeToBegin(automaton: Automaton, expression: Expression): boolean {
  const front = headOf(expression);
  const members = front.kind === "union" ? front.members : [front];
  const isFree = (each: Expression) =>
    each.kind === "distinct" && each.distinct.seen.kind === "nothing" && isEndless(automaton, each.body);
  return front.remembers && members.every((member) => !member.remembers || isFree(headOf(member)));
}

function nextsOf(automaton: Automaton, state: number): readonly (readonly [number, number])[] {
  const bytes = new Map<number, number>();
  for (const next of automaton.row(state)) if (next !== DEAD) bytes.set(next, (bytes.get(next) ?? 0) + 1);
  return [...bytes];
}
