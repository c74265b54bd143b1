/** Finds out whether some number is valid for an alternative: by counting if that is enough, otherwise by a search. */
import { Derivatives } from "../../automaton/derivative.ts";
import { Expressions } from "../../automaton/expression.ts";
import type { EffortMeter } from "../effort.ts";
import type { NumberAlternative } from "../normal-form.ts";
import type { Decimal } from "./decimal.ts";
import {
  type Bounds,
  boundsOf,
  divisorOfAllValues,
  largestExactDecimal,
  numberExpression,
} from "./number.ts";

/** The number of operations that count as one unit of effort. */
const UNIT = 8;
/** All multiples of this up to a thousand million are doubles of their own. */
const MILLIONTH: Decimal = { digits: 1n, scale: 6 };

/** @throws StrategyError as numberExpression does; ConstraintLimitError if this takes too long, together with all earlier effort */
export function isNumberPossible(alternative: NumberAlternative, effort: EffortMeter): boolean {
  const bounds = boundsOf(alternative);
  const { low, high } = bounds;
  if (low > high) return false;
  const isRange = alternative.multipleOf.length + alternative.notMultipleOf.length === 0;
  const isEndless = low === Number.NEGATIVE_INFINITY || high === Number.POSITIVE_INFINITY;
  // Single values that are left out need a search only if the range has two ends.
  if (isRange && (isEndless || alternative.except.length === 0))
    return (alternative.integer ? Math.ceil(low) : low) <= high;
  if (hasMore(alternative, bounds)) return true;
  const expressions = new Expressions();
  const isPossible = !new Derivatives(expressions).isEmpty(numberExpression(expressions, alternative));
  effort.spend(Math.ceil(expressions.work / UNIT));
  return isPossible;
}

/** Whether the range surely has more multiples than values that are left out. */
function hasMore(alternative: NumberAlternative, { low, high }: Bounds): boolean {
  const { digits, scale } = divisorOfAllValues(alternative) ?? MILLIONTH;
  const most = largestExactDecimal(scale);
  const width = Math.min(high, most) - Math.max(low, -most);
  // Two more, because both ends are rounded.
  return (
    alternative.notMultipleOf.length === 0 &&
    (width / Number(digits)) * 10 ** scale > alternative.except.length + 2
  );
}
