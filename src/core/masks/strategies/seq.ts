import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkPart } from "./arguments.ts";
import { buildPart } from "./parts.ts";

/**
 * One part after the other; a text stands for itself. The answer is the whole text, with the stops of its parts.
 *
 * @example
 * const range = seq(chars("digits", { min: 1 }), " to ", chars("digits", { min: 1 }));
 *
 * @throws StrategyError for no parts, and for a part that is neither a strategy nor a text.
 */
export function seq(...parts: readonly (Strategy | string)[]): Strategy {
  if (parts.length === 0) {
    throw new StrategyError(
      "seq",
      "",
      'there are no parts: write seq("id-", chars("digits", { min: 4, max: 4 })).',
    );
  }
  const checked = parts.map((part: unknown, index) => checkPart("seq", `part ${index + 1}`, part));
  return createStrategy({
    kind: "seq",
    build: (expressions) => expressions.sequence(...checked.map((part) => buildPart(expressions, part))),
    answerOf: wholeTextAsAnswer,
  });
}
