/**
 * Finds the arrays and objects in which each value has one spelling, so that `uniqueItems` can compare items by their texts:
 * objects with one order of properties, and arrays of such values. The items of these arrays may have to differ if their values
 * are listed: then the texts of the arrays are a regular language. For example, each value of `{ name: string, age?: integer
 * }` has one spelling, with `name` first. `emit.ts` leaves undeclared properties out of such objects.
 */
import { placesOf } from "../array-states.ts";
import { finiteValues } from "../emit/finite-values.ts";
import type { Alternative, ArrayAlternative, ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import type { HandleTable } from "./handle.ts";

const infinity = Number.POSITIVE_INFINITY;

/**
 * Whether each value of these places has one spelling, in whichever place it is written.
 * @param seen keys of places that were examined: a value may contain values of its own schema
 */
export function haveOneSpelling(
  places: readonly SchemaHandle[],
  handles: HandleTable,
  seen = new Set<string>(),
): boolean {
  const key = JSON.stringify(places.map((place) => place.key).sort());
  if (seen.has(key)) return true;
  seen.add(key);
  const alternatives: Alternative[] = [];
  for (const place of places) {
    const raw = handles.raw(place);
    if (raw === null) return false;
    alternatives.push(...raw);
  }
  const objects = alternatives.filter((alternative) => alternative.type === "object");
  const arrays = alternatives.filter((alternative) => alternative.type === "array");
  // A value that the schema lists keeps the order of its properties, which may differ from the order of an object.
  const isMixed = places.length > 1 || objects.length + arrays.length > 0;
  if (isMixed && alternatives.some(isWrittenContainer)) return false;
  if (
    !arrays.every((array) => isPlainArray(array, handles)) ||
    !objects.every((object) => isPlainObject(object, handles)) ||
    !haveOneOrder(objects)
  )
    return false;
  const items = arrays.flatMap(placesOf);
  const names = new Set(objects.flatMap(({ properties }) => [...properties.keys()]));
  const parts = [...names].map((name) => objects.flatMap(({ properties }) => properties.get(name) ?? []));
  return [...parts, items].every((part) => part.length === 0 || haveOneSpelling(part, handles, seen));
}

function isWrittenContainer(alternative: Alternative): boolean {
  return (
    alternative.type === "literal" && alternative.value !== null && typeof alternative.value === "object"
  );
}

function isPlainArray(array: ArrayAlternative, handles: HandleTable): boolean {
  if (array.contains.length > 0) return false;
  return !array.unique || placesOf(array).every((place) => finiteValues(handles.raw(place)) !== null);
}

/** An object without declared properties would be `{}`, whatever a valid value has. */
function isPlainObject(object: ObjectAlternative, handles: HandleTable): boolean {
  const { properties, additional, patterns, names, clauses, minProperties, maxProperties, required } = object;
  if (properties.size === 0 && handles.mayBePossible(additional)) return false;
  if (patterns.length + clauses.length > 0 || names !== null) return false;
  return minProperties <= required.size && maxProperties === infinity;
}

/** Names that two objects have in common stand in the same order in both. */
function haveOneOrder(objects: readonly ObjectAlternative[]): boolean {
  return objects.every((one, index) =>
    objects.slice(index + 1).every((other) => {
      const common = [...one.properties.keys()].filter((name) => other.properties.has(name));
      const second = [...other.properties.keys()].filter((name) => one.properties.has(name));
      return common.every((name, at) => name === second[at]);
    }),
  );
}
