/** Finds out whether an array can have the required items. */
import { ConstraintLimitError } from "../../strategy-error.ts";
import { mostItems } from "../most-items.ts";
import type { ArrayAlternative, SchemaHandle } from "../normal-form.ts";

/** The most sets of counts that are examined. */
const MOST_COUNTS = 20_000;
/** An item may be valid for any set of the `contains`, so there are two to this power of schemas for one item. */
const MOST_CONTAINS = 6;

/**
 * Whether an array can have items for its `minItems` and its `contains`; `unique` is not looked at.
 * @throws ConstraintLimitError
 */
export function canHaveItems(
  array: ArrayAlternative,
  isPossible: (handle: SchemaHandle) => boolean,
): boolean {
  const { contains } = array;
  const most = mostItems(array, isPossible);
  if (array.minItems > most) return false;
  if (contains.length === 0) return true;
  if (contains.length > MOST_CONTAINS) {
    throw new ConstraintLimitError(`one array has more than ${MOST_CONTAINS} "contains" schemas`);
  }
  return canCount(array, most, kindsOfItems(array, isPossible));
}

/**
 * For each place: the sets of `contains` for which an item there can be valid at the same time. Bit j stands for `contains`
 * number j.
 */
function kindsOfItems(array: ArrayAlternative, isPossible: (handle: SchemaHandle) => boolean): number[][] {
  const { contains, both } = array;
  const all = Array.from({ length: 2 ** contains.length }, (_, kind) => kind);
  return [...array.prefix, array.rest].map((place) =>
    all.filter((kind) =>
      isPossible(
        both([place, ...contains.map(({ items, others }, j) => (kind & (1 << j) ? items : others))]),
      ),
    ),
  );
}

/**
 * Tries all lengths with all reachable counts. Items that no count needs can be removed, so longer arrays need not be tried.
 */
function canCount(array: ArrayAlternative, most: number, kinds: number[][]): boolean {
  const { contains, minItems, prefix } = array;
  const needed = contains.reduce((sum, { min }) => sum + min, prefix.length);
  const longest = Math.min(most, Math.max(minItems, needed));
  const isEnough = (counts: Counts) => contains.every(({ min }, index) => (counts[index] as number) >= min);
  const isTooMany = (counts: Counts) => contains.some(({ max }, index) => (counts[index] as number) > max);
  let reached: readonly Counts[] = [contains.map(() => 0)];
  let examined = 0;
  for (let length = 0; ; length++) {
    if (length >= minItems && reached.some(isEnough)) return true;
    if (length >= longest || reached.length === 0) return false;
    const next = new Map<string, Counts>();
    for (const counts of reached) {
      for (const kind of kinds[Math.min(length, prefix.length)] ?? []) {
        if (++examined > MOST_COUNTS) {
          throw new ConstraintLimitError(`"contains" asks for too many items to be counted`);
        }
        const counted = withItem(array, counts, kind);
        if (!isTooMany(counted)) next.set(counted.join(), counted);
      }
    }
    reached = [...next.values()];
  }
}

/** For each `contains`, how many items are valid for it. */
type Counts = readonly number[];

/** The counts after one more item. A count without a maximum stays at its minimum, so that few sets of counts are reached. */
function withItem({ contains }: ArrayAlternative, counts: Counts, kind: number): Counts {
  return contains.map(({ min, max }, index) => {
    const more = (counts[index] as number) + ((kind >> index) & 1);
    return max === Number.POSITIVE_INFINITY ? Math.min(more, min) : more;
  });
}
