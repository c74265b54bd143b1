/** How much work may be done in one go. */
import { ConstraintLimitError } from "../strategy-error.ts";

/**
 * Most work in one go (a strategy built, a mask, a token taken): an expression made, a member of one or a step counts one.
 * A count, so that it is met at the same place everywhere; in the worst case it takes about a second.
 */
export const MOST_WORK = 1_000_000;

export function tooMuchWork(most: number): ConstraintLimitError {
  return new ConstraintLimitError(`a single step takes more than ${most.toLocaleString("en")} operations`);
}
