/** Tests whether a text contains a match of a regular expression. Work is counted, so no expression can hang the caller. */
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { parseRegex, regexExpression } from "./regex.ts";

/**
 * Gives the result of `new RegExp(source, flags).test(text)`.
 * @throws ConstraintLimitError for a text that takes too much work.
 */
export type TextMatcher = (text: string) => boolean;

/**
 * Makes the test of one expression.
 * @throws StrategyError with the position of a mistake, or of syntax that is not supported, such as look-around and
 * back-references.
 * @throws ConstraintLimitError for an expression that is too large.
 */
export function createTextMatcher(source: string, flags = ""): TextMatcher {
  const expressions = new Expressions();
  const node = parseRegex(source, flags);
  const automaton = new Automaton(expressions, regexExpression(expressions, node, { anchored: false }));
  const encoder = new TextEncoder();
  return (text) => {
    automaton.begin();
    let state = automaton.start;
    for (const byte of encoder.encode(text)) {
      if (state === DEAD) return false;
      state = automaton.step(state, byte);
    }
    return state !== DEAD && automaton.isAccepting(state);
  };
}
