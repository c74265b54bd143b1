import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { buildPart, checkParts } from "./parts.ts";

/**
 * One part after the other; a text stands for itself. The answer is the whole text, with the stops of its parts.
 *
 * @example
 * const range = seq(chars("digits", { min: 1 }), " to ", chars("digits", { min: 1 }));
 *
 * @throws StrategyError for no parts, and for a part that is neither a strategy nor a text.
 */
export function seq(...parts: readonly (Strategy | string)[]): Strategy {
  const checked = checkParts("seq", parts, 'seq("id-", chars("digits", { min: 4, max: 4 }))');
  return createStrategy({
    kind: "seq",
    build: (expressions) => expressions.sequence(...checked.map((part) => buildPart(expressions, part))),
    answerOf: wholeTextAsAnswer,
  });
}
