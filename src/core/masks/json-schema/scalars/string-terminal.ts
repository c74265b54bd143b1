/** String terminals: the text after the opening quote, including the closing quote. Schemas share them. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { terminalMachineOf } from "../../automaton/string-terminal-machine.ts";
import type { StringAlternative } from "../normal-form.ts";
import { stringContent } from "./string.ts";
import { jsonStringContent } from "./string-alphabet.ts";

/**
 * The string terminal of the strings that are valid for one of the alternatives, and of the literals; `nothing` if there are none.
 * @param isCanonical one text for each value.
 * @throws as stringContent does
 */
export function stringTerminal(
  expressions: Expressions,
  alternatives: readonly StringAlternative[],
  literals: readonly string[] = [],
  isCanonical = false,
): Expression {
  // JSON has no Infinity, so a length without a bound is written as null.
  const key = JSON.stringify([alternatives, literals, isCanonical]);
  return terminalMachineOf(expressions).stringTerminal(expressions, key, (arena) =>
    stringRest(arena, alternatives, literals, isCanonical),
  );
}

/** The text after the opening quote, including the closing quote. @throws as stringContent does */
export function stringRest(
  expressions: Expressions,
  alternatives: readonly StringAlternative[],
  literals: readonly string[],
  isCanonical: boolean,
): Expression {
  return expressions.sequence(
    expressions.union(
      ...alternatives.map((alternative) => stringContent(expressions, alternative, isCanonical)),
      ...literals.map((text) => expressions.literal(jsonStringContent(text))),
    ),
    expressions.literal('"'),
  );
}
