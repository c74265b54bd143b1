/** Strategies as parts of others. */
import { Derivatives } from "../automaton/derivative.ts";
import { afterByte } from "../automaton/distinct.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { encodeUtf8 } from "../automaton/utf8.ts";
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

function languageOf(strategy: Strategy): Language {
  return getOrCreate(languages, strategy, () => {
    const expressions = new Expressions();
    return { expressions, derivatives: new Derivatives(expressions), whole: strategy.build(expressions) };
  });
}

/** Whether the text is a whole text of the part, token limits apart. @throws ConstraintLimitError */
export function partMatchesText(part: Strategy | string, text: string): boolean {
  if (typeof part === "string") return part === text;
  const { expressions, derivatives, whole } = languageOf(part);
  let rest = whole;
  for (const byte of encodeUtf8(text)) {
    expressions.begin();
    rest = afterByte(expressions, derivatives, rest, byte);
  }
  return derivatives.isNullable(rest);
}
