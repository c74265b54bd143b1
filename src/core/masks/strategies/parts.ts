/** Strategies as parts of others. */
import { hasByte } from "../automaton/byte-set.ts";
import { Derivatives } from "../automaton/derivative.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import type { Strategy } from "../strategy.ts";

export function buildPart(expressions: Expressions, part: Strategy | string): Expression {
  return typeof part === "string" ? expressions.literal(part) : part.build(expressions);
}

interface Language {
  readonly expressions: Expressions;
  readonly derivatives: Derivatives;
  readonly whole: Expression;
}

const languages = new WeakMap<Strategy, Language>();
const encoder = new TextEncoder();

function languageOf(strategy: Strategy): Language {
  const known = languages.get(strategy);
  if (known !== undefined) return known;
  const expressions = new Expressions();
  const derivatives = new Derivatives(expressions);
  const made = { expressions, derivatives, whole: strategy.build(expressions) };
  languages.set(strategy, made);
  return made;
}

/** Whether the text is a whole text of the part, token limits apart. @throws ConstraintLimitError */
export function matches(part: Strategy | string, text: string): boolean {
  if (typeof part === "string") return part === text;
  const { expressions, derivatives, whole } = languageOf(part);
  let rest = whole;
  for (const byte of encoder.encode(text)) {
    expressions.begin();
    const nexts = derivatives.steps(rest).flatMap(({ set, next }) => (hasByte(set, byte) ? [next] : []));
    rest = expressions.union(...nexts);
  }
  return derivatives.isNullable(rest);
}
