/** What a strategy's texts always end with, for a list that would otherwise ask for the same text twice. */
import type { Expression, Expressions } from "../expression.ts";
import type { Strategy } from "../strategy.ts";

export interface Ending {
  readonly text: string;
  /** The language without that text, where it is no part of the answer. */
  readonly body: ((expressions: Expressions) => Expression) | null;
}

const endings = new WeakMap<Strategy, Ending>();

export function declareEnding(strategy: Strategy, text: string, body: Ending["body"] = null): Strategy {
  endings.set(strategy, { text, body });
  return strategy;
}

export function endingOf(strategy: Strategy): Ending | null {
  return endings.get(strategy) ?? null;
}
