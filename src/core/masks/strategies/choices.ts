import type { Expression, Expressions } from "../automaton/expression.ts";
import { createStrategy, type Strategy, wholeText } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkFullText, showValue } from "./arguments.ts";

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
    checkFullText("choices", `texts[${index}]`, text, "give at least one character, or leave it out."),
  );
  const encoder = new TextEncoder();
  const spelled = [...new Set(checked)].map((text) => encoder.encode(text)).sort(compareBytes);
  return createStrategy({
    kind: "choices",
    build: (expressions) => tree(expressions, spelled, 0),
    answerOf: wholeText,
    texts: Object.freeze([...new Set(checked)]),
  });
}

/**
 * The sorted texts as a prefix tree. A beginning that several texts share is made once, so that a step of the automaton need
 * not look at each text.
 */
function tree(expressions: Expressions, sorted: readonly Uint8Array[], depth: number): Expression {
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return expressions.nothing;
  let shared = depth;
  while (shared < first.length && first[shared] === last[shared]) shared++;
  const branches: Expression[] = [];
  let begin = 0;
  while (begin < sorted.length) {
    const byte = sorted[begin]?.[shared];
    let end = begin + 1;
    while (end < sorted.length && sorted[end]?.[shared] === byte) end++;
    branches.push(
      byte === undefined
        ? expressions.empty
        : expressions.sequence(
            expressions.byte(byte),
            tree(expressions, sorted.slice(begin, end), shared + 1),
          ),
    );
    begin = end;
  }
  return expressions.sequence(
    expressions.literal(first.slice(depth, shared)),
    expressions.union(...branches),
  );
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
