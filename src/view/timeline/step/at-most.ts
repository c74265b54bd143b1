/** A probability that is known only as a bound. */
import { formatProbability } from "../../ui/format.ts";

export function formatUpperBound(most: number): string {
  return `≤ ${formatProbability(most).replace("< ", "")}`;
}
