/** A probability that is known only as a bound. */
import { formatProbability } from "../../ui/format.ts";

export function atMost(most: number): string {
  return `≤ ${formatProbability(most).replace("< ", "")}`;
}
