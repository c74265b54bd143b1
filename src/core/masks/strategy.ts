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
  /** The answer in an allowed text: without a stop text. */
  readonly answerOf: (text: string) => string;
  /** The allowed texts, of `choices` alone. */
  readonly texts?: readonly string[];
}

/** A strategy's hidden property. */
const strategyMark = sharedSymbol("strategy");

/** The one way to make a strategy. */
export function createStrategy(strategy: Strategy): Strategy {
  return Object.freeze(Object.defineProperty(strategy, strategyMark, { value: true }));
}

/** True for a value that `createStrategy` made, of this copy of the package or of another. */
export function isStrategy(value: unknown): value is Strategy {
  return isMarked(value, strategyMark);
}

/** For strategies whose whole text is the answer. */
export function wholeTextAsAnswer(text: string): string {
  return text;
}
