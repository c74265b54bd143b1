/** Strategies as parts of others. */
import { Automaton, DEAD } from "../automaton.ts";
import { type Expression, Expressions } from "../expression.ts";
import type { Strategy } from "../strategy.ts";

export function buildPart(expressions: Expressions, part: Strategy | string): Expression {
  return typeof part === "string" ? expressions.literal(part) : part.build(expressions);
}

const automatons = new WeakMap<Strategy, Automaton>();
const encoder = new TextEncoder();

/** True when the text is a whole text of the part; token limits aside. @throws ConstraintLimitError */
export function matches(part: Strategy | string, text: string): boolean {
  if (typeof part === "string") return part === text;
  let automaton = automatons.get(part);
  if (automaton === undefined) {
    const expressions = new Expressions();
    automaton = new Automaton(expressions, part.build(expressions));
    automatons.set(part, automaton);
  }
  let state = automaton.start;
  for (const byte of encoder.encode(text)) {
    state = automaton.step(state, byte);
    if (state === DEAD) return false;
  }
  return automaton.isAccepting(state);
}
