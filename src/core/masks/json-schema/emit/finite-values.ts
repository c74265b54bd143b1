/** Lists the values of a schema one by one, if they are few. */

import type { Alternative, Json, NormalSchema, NumberAlternative } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import { matchesNumber } from "../scalars/number.ts";

/** Most values that are listed. */
export const MOST_VALUES = 256;

/**
 * All values of the alternatives, none twice; null when they are more than `MOST_VALUES` or cannot be listed.
 * @param alternatives null while they are being computed: a value then contains values of the same schema, so there are
 * infinitely many
 */
export function finiteValues(alternatives: NormalSchema | null): readonly Json[] | null {
  if (alternatives === null) return null;
  const values = new Map<string, Json>();
  for (const alternative of alternatives) {
    const listed = valuesOf(alternative);
    if (listed === null) return null;
    for (const value of listed) values.set(canonicalText(value), value);
    if (values.size > MOST_VALUES) return null;
  }
  return [...values.values()];
}

function valuesOf(alternative: Alternative): readonly Json[] | null {
  switch (alternative.type) {
    case "literal":
      return [alternative.value];
    case "null":
      return [null];
    case "boolean":
      return [false, true];
    case "number":
      return listNumbers(alternative);
    default:
      return null;
  }
}

/** The numbers of a range: its integers, or its only number. Null if they are too many to list, or if not only integers are allowed. */
export function listNumbers(range: NumberAlternative): readonly number[] | null {
  const { minimum, maximum, multipleOf, notMultipleOf } = range;
  const isValid = (value: number) => matchesNumber(range, value);
  if (minimum === maximum && Number.isFinite(minimum) && multipleOf.length + notMultipleOf.length === 0)
    return [minimum].filter(isValid);
  const first = Math.ceil(minimum);
  const last = Math.floor(maximum);
  if (!range.integer || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return null;
  if (last - first > 4 * MOST_VALUES) return null;
  // The sum of -0 and 0 is 0.
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(isValid);
}
