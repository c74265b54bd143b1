import type { Expression, Expressions } from "../automaton/expression.ts";
import { createStrategy, endingOf, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkCount, checkOptions, checkRange, checkStrategy, checkText } from "./arguments.ts";

export interface ListOptions {
  /** A text at the beginning, such as "[". */
  readonly open?: string;
  /** A text after the last item, such as "]". Without it (and without `end`) the list may end after any item from `min` on. */
  readonly close?: string;
  /** A text before and after each item, such as a quotation mark. */
  readonly wrap?: string;
  /** A text between two items; ", " by default. */
  readonly separator?: string;
  /** The fewest items. Default: 0 if the empty list has a text (`open`, `close` or `end`), otherwise 1. */
  readonly min?: number;
  /** The most items; no limit by default. */
  readonly max?: number;
  /** A text at the very end, after `close`. */
  readonly end?: string;
}

interface ListTexts {
  readonly open: string;
  readonly close: string;
  readonly wrap: string;
  readonly separator: string;
  readonly end: string;
}

/**
 * Items of one strategy, or a fixed row of strategies, each once and in its place. The answer is the whole text.
 *
 * An item that ends with its `wrap` shares it: `chars("string", { stop: '"' })` in `wrap: '"'` gives `"text"`. Without a `wrap`,
 * `chars` also shares a `stop`, and `until` an `end`, that is the separator or closes the list.
 *
 * @example
 * const tags = list(choices(["red", "green", "blue"]), { open: "[", close: "]", wrap: '"', min: 1, max: 3 });
 * const point = list([chars("number"), chars("number")], { open: "(", close: ")" });
 *
 * @throws StrategyError for an empty row, an unknown option, a `min` above `max`, and a `min` or `max` that is not the row's length.
 */
export function list(items: Strategy | readonly Strategy[], options: ListOptions = {}): Strategy {
  checkOptions("list", options, ["open", "close", "wrap", "separator", "min", "max", "end"]);
  const text = (name: "open" | "close" | "wrap" | "end") => checkText("list", name, options[name] ?? "");
  const texts: ListTexts = {
    open: text("open"),
    close: text("close"),
    wrap: text("wrap"),
    end: text("end"),
    separator: checkText("list", "separator", options.separator ?? ", "),
  };
  const middle = Array.isArray(items)
    ? fixedItems(items, texts, options)
    : repeatedItem(items, texts, options);
  return createStrategy({
    kind: "list",
    build: (expressions) =>
      expressions.sequence(
        expressions.literal(texts.open),
        middle(expressions),
        expressions.literal(texts.close + texts.end),
      ),
    answerOf: wholeTextAsAnswer,
  });
}

type Build = (expressions: Expressions) => Expression;

function fixedItems(items: readonly unknown[], texts: ListTexts, options: ListOptions): Build {
  if (items.length === 0) {
    throw new StrategyError("list", "items", "the array is empty: give at least one strategy.");
  }
  for (const name of ["min", "max"] as const) {
    if (options[name] === undefined || options[name] === items.length) continue;
    throw new StrategyError(
      "list",
      name,
      `an array of ${items.length} strategies always makes a list of ${items.length} items: leave ${name} out, or give a single strategy instead of an array.`,
    );
  }
  const checked = items.map((item, index) => checkStrategy("list", `items[${index}]`, item));
  return (expressions) =>
    expressions.sequence(
      ...checked.flatMap((item, index) => [
        expressions.literal(index === 0 ? "" : texts.separator),
        wrapped(expressions, item, texts),
      ]),
    );
}

function repeatedItem(items: unknown, texts: ListTexts, options: ListOptions): Build {
  const item = checkStrategy("list", "items", items, "a strategy or an array of them");
  const least = texts.open + texts.close + texts.end === "" ? 1 : 0;
  const max = checkCount("list", "max", options.max ?? Number.POSITIVE_INFINITY, {
    least: 1,
    mayBeInfinite: true,
  });
  const min = checkCount("list", "min", options.min ?? least, { least: 0 });
  checkRange("list", min, max);
  return (expressions) => {
    const one = wrapped(expressions, item, texts);
    const further = expressions.sequence(expressions.literal(texts.separator), one);
    const some = expressions.sequence(one, expressions.repeat(further, Math.max(min - 1, 0), max - 1));
    return min === 0 ? expressions.optional(some) : some;
  };
}

/**
 * An item between its wraps. An item that ends with the wrap writes the closing wrap itself. Without a wrap, an item does not
 * write its ending if the ending is the separator or closes the list.
 */
function wrapped(
  expressions: Expressions,
  item: Strategy,
  { wrap, separator, close, end }: ListTexts,
): Expression {
  const ending = endingOf(item);
  const before = expressions.literal(wrap);
  if (wrap !== "") {
    const after = ending?.text === wrap ? expressions.empty : before;
    return expressions.sequence(before, item.build(expressions), after);
  }
  const isShared = ending !== undefined && [separator, close || end].includes(ending.text);
  return isShared ? ending.body(expressions) : item.build(expressions);
}
