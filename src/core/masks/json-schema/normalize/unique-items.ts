/**
 * Finds out how many different items an array can have if its values are too many to list, and whether their differences can
 * be enforced.
 */
import { Automaton } from "../../automaton/automaton.ts";
import { countTexts } from "../../automaton/count-texts.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { placesOf } from "../array-states.ts";
import type { EffortMeter } from "../effort.ts";
import { finiteValues } from "../emit/finite-values.ts";
import { hasContainers, itemTexts } from "../emit/item-texts.ts";
import type { Alternative, ArrayAlternative, NormalSchema, SchemaHandle } from "../normal-form.ts";
import { SearchCache } from "../scalars/search-cache.ts";
import { stringRest } from "../scalars/string-terminal.ts";
import type { HandleTable } from "./handle.ts";
import { haveOneSpelling } from "./one-spelling.ts";

const infinity = Number.POSITIVE_INFINITY;

/** Where any characters will do and there may be more of them than this, strings count as endlessly many, as in count-texts.ts. */
const MANY_CHARACTERS = 1;
/** A number range with one bound counts as endless if the bound's magnitude is at most this. */
const FAR = 1e6;
/** Strings of up to this length are counted first: if they are many, longer strings need not be counted. */
const FEW_CHARACTERS = 10;

export type UniqueItemsLimit =
  /** The largest number of different items. */
  { readonly most: number } | { readonly problem: string };

/**
 * How many items can differ without a look ahead. Each place must have more possible values than earlier items can have taken, so
 * that a value is left whatever was written. @throws ConstraintLimitError
 */
export function mostUniqueItems(array: ArrayAlternative, handles: HandleTable): UniqueItemsLimit {
  const { prefix, rest, maxItems, contains } = array;
  if (contains.length > 0)
    return {
      problem: "can be enforced together with contains only if enum or const lists all possible items",
    };
  for (const [index, place] of prefix.entries()) {
    const count = countValues(place, handles);
    if (typeof count !== "number") return count;
    if (count <= index && count <= placesThatShareValues(place, prefix.slice(0, index), handles))
      return tooFew;
  }
  if (maxItems <= prefix.length) return { most: maxItems };
  const count = countValues(rest, handles);
  if (typeof count !== "number") return count;
  if (count >= maxItems) return { most: maxItems };
  return sharesNoValue(prefix, rest, handles) ? { most: prefix.length + count } : tooFew;
}

const tooFew = {
  problem:
    "earlier items could use all values of one position; give maxItems, or let positions share no value",
};

/** How many earlier places may take a value of this place; all of them if its values cannot be listed. */
function placesThatShareValues(
  place: SchemaHandle,
  before: readonly SchemaHandle[],
  handles: HandleTable,
): number {
  const values = finiteValues(handles.raw(place));
  if (values === null) return before.length;
  return before.filter((other) => values.some((value) => handles.isValid(value, other))).length;
}

/** Whether no value of the first places can be a value of the rest. */
function sharesNoValue(prefix: readonly SchemaHandle[], rest: SchemaHandle, handles: HandleTable): boolean {
  return prefix.every(
    (place) => finiteValues(handles.raw(place))?.every((value) => !handles.isValid(value, rest)) ?? false,
  );
}

/** How many values a place has. */
function countValues(place: SchemaHandle, handles: HandleTable): number | { readonly problem: string } {
  const raw = handles.raw(place);
  if (raw === null || (hasContainers(raw) && !haveOneSpelling([place], handles))) {
    return {
      problem:
        "can be enforced only if objects in the items declare their properties in one order, without patternProperties or propertyNames, and arrays in the items have no contains, and no uniqueItems unless enum or const lists their items",
    };
  }
  if (isEndless(place, handles)) return infinity;
  const count = hasContainers(raw) ? null : countTextsOf(raw, handles.effort);
  return count ?? { problem: "the items have too many possible values to count" };
}

/** Whether a place with one spelling for each value surely has endlessly many values. */
function isEndless(place: SchemaHandle, handles: HandleTable, seen = new Set<SchemaHandle>()): boolean {
  if (seen.has(place)) return false;
  seen.add(place);
  const raw = handles.raw(place) ?? [];
  return raw.some((alternative) => {
    if (alternative.type === "object")
      return [...alternative.properties.values()].some((value) => isEndless(value, handles, seen));
    if (alternative.type !== "array")
      return isSurelyMany(alternative) || countTextsOf([alternative], handles.effort) === infinity;
    const isLong = alternative.maxItems === infinity && handles.raw(alternative.rest)?.length !== 0;
    return isLong || placesOf(alternative).some((item) => isEndless(item, handles, seen));
  });
}

function isSurelyMany(alternative: Alternative): boolean {
  if (alternative.type === "string") {
    const { maxLength, patterns, notPatterns, formats, notFormats } = alternative;
    const isPlain = patterns.length + notPatterns.length + formats.length + notFormats.length === 0;
    return isPlain && maxLength > MANY_CHARACTERS;
  }
  if (alternative.type !== "number") return false;
  const { minimum, maximum, multipleOf, notMultipleOf } = alternative;
  const isEndless = minimum === -infinity || maximum === infinity;
  const isFar = [minimum, maximum].some((bound) => Number.isFinite(bound) && Math.abs(bound) > FAR);
  return isEndless && !isFar && multipleOf.length + notMultipleOf.length === 0;
}

/** Null if counting takes too much work. */
const counts = new SearchCache<number | null>(500);

function countTextsOf(alternatives: NormalSchema, effort: EffortMeter): number | null {
  const some = countWithin(alternatives.map(shortened), effort);
  return some === infinity ? some : countWithin(alternatives, effort);
}

function countWithin(alternatives: NormalSchema, effort: EffortMeter): number | null {
  return counts.of(JSON.stringify(alternatives), effort, (expressions) => {
    try {
      const texts = itemTexts(expressions, alternatives, "compact", stringRest);
      const automaton = new Automaton(expressions, texts);
      return countTexts(automaton, automaton.start);
    } catch (error) {
      if (error instanceof ConstraintLimitError) return null;
      throw error;
    }
  });
}

/** The alternative with a smaller bound, which allows no more values than before. */
function shortened(alternative: Alternative): Alternative {
  if (alternative.type !== "string") return alternative;
  return {
    ...alternative,
    maxLength: Math.min(alternative.maxLength, alternative.minLength + FEW_CHARACTERS),
  };
}
