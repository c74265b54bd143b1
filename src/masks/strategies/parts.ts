/** Strategies as parts of others. */
import { Automaton, DEAD } from "../automaton.ts";
import { type Expression, Expressions } from "../expression.ts";
import type { Strategy } from "../strategy.ts";

export function buildPart(expressions: Expressions, part: Strategy | string): Expression {
  return typeof part === "string" ? expressions.literal(part) : part.build(expressions);
}

interface Machine {
  readonly automaton: Automaton;
  readonly language: Expression;
}

const machines = new WeakMap<Strategy, Machine>();
const encoder = new TextEncoder();

function machineOf(strategy: Strategy): Machine {
  const known = machines.get(strategy);
  if (known !== undefined) return known;
  const expressions = new Expressions();
  const made = { automaton: new Automaton(expressions), language: strategy.build(expressions) };
  machines.set(strategy, made);
  return made;
}

/** True when the text is a whole text of the part; token limits aside. @throws ConstraintLimitError */
export function matches(part: Strategy | string, text: string): boolean {
  if (typeof part === "string") return part === text;
  const { automaton, language } = machineOf(part);
  let at = language;
  for (const byte of encoder.encode(text)) {
    automaton.begin();
    const next = automaton.step(automaton.stateOf(at), byte);
    if (next === DEAD) return false;
    at = automaton.expressionOf(next);
  }
  return automaton.derivatives.isNullable(at);
}
