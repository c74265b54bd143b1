import { checkWorkOnSampleTexts } from "../automaton/check-work.ts";
import { Expressions } from "../automaton/expression.ts";
import { firstLettersAndDigits, mayTakeMuchWork } from "../regex/large-patterns.ts";
import { parseRegex, regexExpression } from "../regex/regex.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkText, showValue } from "./arguments.ts";

/**
 * The whole text matches the regular expression: it is anchored at both ends. The answer is the whole text.
 *
 * @example
 * const date = regex(/\d{4}-\d{2}-\d{2}/);
 *
 * @throws StrategyError with the position of what cannot be enforced, such as look-around and back-references, and for an
 * expression that no text matches. @throws ConstraintLimitError for one that takes too much work.
 */
export function regex(re: RegExp | string): Strategy {
  if (typeof re !== "string" && !(re instanceof RegExp)) {
    throw new StrategyError(
      "regex",
      "",
      `${showValue(re)} is not a regular expression: write regex(/[a-z]+/).`,
    );
  }
  const [source, flags] = typeof re === "string" ? [checkText("regex", "", re), ""] : [re.source, re.flags];
  const node = parseRegex(source, flags);
  const build = (expressions: Expressions) => regexExpression(expressions, node, { anchored: true });
  if (build(new Expressions()).kind === "nothing") {
    throw new StrategyError("regex", "", `no text matches ${showValue(source)}: correct the expression.`);
  }
  if (mayTakeMuchWork([source], 0, true)) checkWorkOnSampleTexts(build, firstLettersAndDigits([source]), "");
  return createStrategy({ kind: "regex", build, answerOf: wholeTextAsAnswer });
}
