/**
 * Which arrays and objects have one spelling for each value, so that items which have to differ can be compared by their texts:
 * objects with one order of properties, and arrays of such values. For example, the items `{ name: string, age?: integer }` have
 * one: `name` comes first. `emit.ts` leaves undeclared properties out of such objects.
 */
import type { Alternative, ArrayAlternative, ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import type { Handles } from "./handle.ts";

const infinity = Number.POSITIVE_INFINITY;
/** Most levels of arrays and objects in one item. */
const MOST_LEVELS = 16;

/**
 * True if each value of these places has one spelling, whichever of the places writes it.
 * @param above keys of the places around them: a value inside of itself is refused
 */
export function haveOneSpelling(
  places: readonly SchemaHandle[],
  handles: Handles,
  above: readonly string[] = [],
): boolean {
  const key = JSON.stringify(places.map((place) => place.key).sort());
  const levels = [...above, key];
  const alternatives: Alternative[] = [];
  for (const place of places) {
    const raw = handles.raw(place);
    if (raw === null || above.includes(key) || levels.length > MOST_LEVELS) return false;
    alternatives.push(...raw);
  }
  const objects = alternatives.filter((alternative) => alternative.type === "object");
  const arrays = alternatives.filter((alternative) => alternative.type === "array");
  // A written value keeps the order of its properties, which may be another one.
  const isMixed = places.length > 1 || objects.length + arrays.length > 0;
  if (isMixed && alternatives.some(isWrittenContainer)) return false;
  if (!arrays.every(isPlainArray) || !objects.every(isPlainObject) || !haveOneOrder(objects)) return false;
  const items = arrays.flatMap(({ prefix, rest, maxItems }) => [...prefix, rest].slice(0, maxItems));
  const names = new Set(objects.flatMap(({ properties }) => [...properties.keys()]));
  const parts = [...names].map((name) => objects.flatMap(({ properties }) => properties.get(name) ?? []));
  return [...parts, items].every((part) => part.length === 0 || haveOneSpelling(part, handles, levels));
}

function isWrittenContainer(alternative: Alternative): boolean {
  return (
    alternative.type === "literal" && alternative.value !== null && typeof alternative.value === "object"
  );
}

function isPlainArray({ unique, contains }: ArrayAlternative): boolean {
  return !unique && contains.length === 0;
}

function isPlainObject(object: ObjectAlternative): boolean {
  const { patterns, names, clauses, minProperties, maxProperties, required } = object;
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
