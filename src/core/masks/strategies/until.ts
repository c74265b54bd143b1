import type { Expression, Expressions } from "../automaton/expression.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { checkCount, checkNonEmptyText, checkOptions, checkText } from "./arguments.ts";
import { textBefore, upToFirst } from "./first-match.ts";

export interface UntilOptions {
  /** A text at the beginning, which is forced. An `end` inside it does not finish the answer. */
  readonly start?: string;
  /** The text that finishes the answer: a text, or any one of the characters of `anyOf`. */
  readonly end: string | { readonly anyOf: string };
  /** The most tokens after `start` that the model may choose freely; afterwards only the shortest way to an end is allowed. */
  readonly maxTokens?: number;
}

/**
 * Free text up to and including the first `end`. Start and end are part of the answer.
 *
 * @example
 * const thought = until({ start: "<think>", end: "</think>", maxTokens: 200 });
 * const sentence = until({ end: { anyOf: ".!?\n" } });
 *
 * @throws StrategyError for an empty end, and for a `maxTokens` below 1.
 */
export function until(options: UntilOptions): Strategy {
  checkOptions("until", options, ["start", "end", "maxTokens"]);
  const start = checkText("until", "start", options.start ?? "");
  const ends = checkEnds(options.end);
  const tokens =
    options.maxTokens === undefined
      ? Number.POSITIVE_INFINITY
      : checkCount("until", "maxTokens", options.maxTokens, { least: 1, mayBeInfinite: true });
  const textOf = (expressions: Expressions, body: Expression) => {
    // The budget is in a separate rule, so that it counts from the first token inside the rule, not from the token before.
    const free =
      tokens === Number.POSITIVE_INFINITY
        ? body
        : expressions.rule(`until:${tokens}:${body.id}`, () => expressions.budget(body, tokens));
    return expressions.sequence(expressions.literal(start), free);
  };
  const { end } = options;
  return createStrategy(
    {
      kind: "until",
      build: (expressions) => textOf(expressions, upToFirst(expressions, ends)),
      answerOf: wholeTextAsAnswer,
    },
    typeof end === "string"
      ? { text: end, body: (expressions) => textOf(expressions, textBefore(expressions, end)) }
      : undefined,
  );
}

function checkEnds(end: UntilOptions["end"]): readonly string[] {
  const instead = 'write a text such as "\\n", or { anyOf: ".!?" }.';
  if (typeof end !== "object" || end === null) return [checkNonEmptyText("until", "end", end, instead)];
  checkOptions("until", end, ["anyOf"]);
  return [
    ...new Set(checkNonEmptyText("until", "end.anyOf", end.anyOf, 'write the characters, as in ".!?".')),
  ];
}
