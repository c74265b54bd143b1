import { createStrategy, type Strategy } from "../strategy.ts";
import { buildPart, checkParts, partMatchesText } from "./parts.ts";

/**
 * The texts that any of the parts allows; a text stands for itself, and `""` for nothing at all, which makes the others optional.
 * The answer is that of the first part that allows the text.
 *
 * @example
 * const age = oneOf(chars("digits", { min: 1, max: 3 }), "unknown");
 *
 * @throws StrategyError for no parts, and for a part that is neither a strategy nor a text.
 */
export function oneOf(...parts: readonly (Strategy | string)[]): Strategy {
  const checked = checkParts("oneOf", parts, 'oneOf(choices(["yes", "no"]), "unknown")');
  return createStrategy({
    kind: "oneOf",
    build: (expressions) => expressions.union(...checked.map((part) => buildPart(expressions, part))),
    answerOf: (text) => {
      const matching = checked.find((part) => partMatchesText(part, text));
      return matching === undefined || typeof matching === "string" ? text : matching.answerOf(text);
    },
  });
}
