import { createStrategy, type Strategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkPart } from "./arguments.ts";
import { buildPart, partMatchesText } from "./parts.ts";

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
  if (parts.length === 0) {
    throw new StrategyError(
      "oneOf",
      "",
      'there are no parts: write oneOf(choices(["yes", "no"]), "unknown").',
    );
  }
  const checked = parts.map((part: unknown, index) => checkPart("oneOf", `part ${index + 1}`, part));
  return createStrategy({
    kind: "oneOf",
    build: (expressions) => expressions.union(...checked.map((part) => buildPart(expressions, part))),
    answerOf: (text) => {
      const matching = checked.find((part) => partMatchesText(part, text));
      return matching === undefined || typeof matching === "string" ? text : matching.answerOf(text);
    },
  });
}
