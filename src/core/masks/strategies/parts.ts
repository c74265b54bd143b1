/** Strategies as parts of others. */
import { Derivatives } from "../automaton/derivative.ts";
import { afterByte } from "../automaton/distinct.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { encodeUtf8 } from "../automaton/utf8.ts";
import type { Strategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkPart } from "./arguments.ts";

/** Checks the parts of a strategy. @param example completes "write ". */
export function checkParts(
  strategy: string,
  parts: readonly unknown[],
  example: string,
): (Strategy | string)[] {
  if (parts.length === 0) throw new StrategyError(strategy, "", `there are no parts: write ${example}.`);
  return parts.map((part, index) => checkPart(strategy, `part ${index + 1}`, part));
}

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
