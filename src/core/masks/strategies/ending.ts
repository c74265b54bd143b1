/**
 * Remembers the text with which every text of a strategy ends. `list` uses it if the same text would follow and would otherwise
 * be required twice.
 */
import type { Expression, Expressions } from "../automaton/expression.ts";
import type { Strategy } from "../strategy.ts";

export interface Ending {
  readonly text: string;
  /** The strategy's language without that ending, for strategies whose answer leaves the ending out; null for others. */
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
