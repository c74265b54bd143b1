/** The length of the longest array that the schemas of its items allow. */
import type { ArrayAlternative, SchemaHandle } from "./normal-form.ts";

/** The most items; `contains` and `uniqueItems` may allow fewer. @param isPossible whether some value is valid */
export function mostItems(
  { prefix, rest, maxItems }: ArrayAlternative,
  isPossible: (handle: SchemaHandle) => boolean,
): number {
  const blocked = prefix.findIndex((item) => !isPossible(item));
  if (blocked >= 0) return Math.min(maxItems, blocked);
  return maxItems > prefix.length && !isPossible(rest) ? prefix.length : maxItems;
}
