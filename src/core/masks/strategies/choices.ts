import { prefixTree } from "../automaton/prefix-tree.ts";
import { encodeUtf8 } from "../automaton/utf8.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkNonEmptyText, showValue } from "./arguments.ts";

/**
 * Exactly one of the texts. A text that begins another does not shadow it: after "hi", both the end and "t" are allowed for
 * `["hi", "hit"]`. The answer is the chosen text.
 *
 * @example
 * const sentiment = choices(["positive", "negative", "neutral"]);
 *
 * @throws StrategyError for an empty list, and for an empty text in it.
 */
export function choices(texts: readonly string[]): Strategy {
  if (!Array.isArray(texts)) {
    throw new StrategyError(
      "choices",
      "",
      `${showValue(texts)} is not a list: write choices(["yes", "no"]).`,
    );
  }
  if (texts.length === 0) {
    throw new StrategyError("choices", "", "the list is empty: give at least one text.");
  }
  const checked = texts.map((text: unknown, index) =>
    checkNonEmptyText("choices", `texts[${index}]`, text, "give at least one character, or leave it out."),
  );
  const different = [...new Set(checked)];
  const spelled = different.map(encodeUtf8);
  return createStrategy({
    kind: "choices",
    build: (expressions) => prefixTree(expressions, spelled),
    answerOf: wholeTextAsAnswer,
    texts: Object.freeze(different),
  });
}
