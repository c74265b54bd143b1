/** A strategy, for the code that makes strategies and the code that runs them. */
import { isMarked, sharedSymbol } from "../base/recognise-copies.ts";
import type { Expression, Expressions } from "./automaton/expression.ts";

export type StrategyKind =
  | "choices"
  | "until"
  | "chars"
  | "list"
  | "oneOf"
  | "seq"
  | "regex"
  | "jsonSchema"
  | "grammar";

/** Says which texts are allowed. A value: it can be kept, nested and used by many requests at once. */
export interface Strategy {
  readonly kind: StrategyKind;
  /** Makes the language in the given arena. @throws ConstraintLimitError @internal */
  readonly build: (expressions: Expressions) => Expression;
  /** The answer in an allowed text: without a stop sequence. */
  readonly answerOf: (text: string) => string;
  /** The allowed texts, of `choices` alone. */
  readonly texts?: readonly string[];
}

/** The text with which every text of a strategy ends. `list` requires this text once if the same text would follow. */
export interface Ending {
  readonly text: string;
  /** The strategy's language without that ending. */
  readonly body: (expressions: Expressions) => Expression;
}

/** A strategy's hidden property, whose value is the strategy's ending. */
const strategyMark = sharedSymbol("strategy");

/** The one way to make a strategy. */
export function createStrategy(strategy: Strategy, ending?: Ending): Strategy {
  return Object.freeze(Object.defineProperty(strategy, strategyMark, { value: ending }));
}

/** Undefined if the strategy has no ending that is always the same. */
export function endingOf(strategy: Strategy): Ending | undefined {
  return (strategy as unknown as Readonly<Record<symbol, Ending | undefined>>)[strategyMark];
}

/** True for a value that `createStrategy` made, of this copy of the package or of another. */
export function isStrategy(value: unknown): value is Strategy {
  return isMarked(value, strategyMark);
}

/** For strategies whose whole text is the answer. */
export function wholeTextAsAnswer(text: string): string {
  return text;
}
