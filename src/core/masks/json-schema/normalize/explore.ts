/**
 * Looks ahead for schemas that would otherwise be refused only when a value reaches them: no schema may be refused in the
 * middle of a text.
 */
import type { Alternative, SchemaHandle } from "../normal-form.ts";
import type { SchemaNode } from "../read/schema-node.ts";

/** The most conjunctions that are examined in advance. */
const MOST_AHEAD = 5_000;

/** Whether some of these schemas may be refused, depending on the schemas they are combined with. */
export function mayBeRefused(nodes: readonly SchemaNode[]): boolean {
  let isNegated = false;
  let isHardToNegate = false;
  let patterned = 0;
  for (const node of nodes) {
    if (node.uniqueItems && node.maxItems > 1) return true;
    if (node.unevaluatedItems !== null || node.unevaluatedProperties !== null) return true;
    isNegated ||= hasNegation(node);
    isHardToNegate ||=
      node.additionalProperties !== null ||
      node.patternProperties.length > 0 ||
      node.propertyNames !== null ||
      (node.prefixItems.length > 0 && node.items !== null);
    if (node.patternProperties.length > 0) patterned++;
  }
  return patterned > 1 || (isNegated && isHardToNegate);
}

/** At most this many choices never combine to more alternatives than one schema may have. */
const FEW_CHOICES = 4;

/** Whether the schemas have so many choices, `contains` or divisors that their combinations may be too many. */
export function mayBeTooComplex(nodes: readonly SchemaNode[]): boolean {
  let choices = 0;
  let divisors = 0;
  for (const node of nodes) {
    if (node.multipleOf !== null) divisors++;
    if (node.contains !== null || divisors > 1) return true;
    choices += node.dependentRequired.length + node.dependentSchemas.length;
    if (node.condition !== null) choices++;
    if (node.anyOf.length > 1 || node.oneOf.length > 1) choices++;
    if (choices > FEW_CHOICES) return true;
  }
  return false;
}

function hasNegation(node: SchemaNode): boolean {
  return node.not !== null || node.oneOf.length > 1 || node.condition !== null || node.contains !== null;
}

/** A schema, the schemas of its parts, their parts and so on, `MOST_AHEAD` at most. Each is expanded after its turn. */
export function* reachable(root: SchemaHandle): Generator<SchemaHandle> {
  const seen = new Set([root]);
  for (const handle of seen) {
    if (seen.size > MOST_AHEAD) return;
    yield handle;
    for (const alternative of handle.normal()) {
      for (const part of partsOf(alternative)) seen.add(part);
    }
  }
}

/** The schemas of the parts of a value. */
function partsOf(alternative: Alternative): readonly SchemaHandle[] {
  if (alternative.type === "array") {
    const places = [...alternative.prefix, alternative.rest];
    const contained = alternative.contains.flatMap(({ items, others }) => [items, others]);
    return [
      ...places,
      ...places.flatMap((place) => contained.map((other) => alternative.both([place, other]))),
    ];
  }
  if (alternative.type === "object") {
    const patterned = alternative.patterns.map(({ schema }) => schema);
    const names = alternative.names === null ? [] : [alternative.names];
    const { properties, additional, clauses, ways } = alternative;
    const decided = [...new Set(clauses.flat().map(({ name }) => name))]
      .flatMap(ways)
      .flatMap(({ values }) => ("key" in values ? [values] : []));
    return [...properties.values(), ...patterned, additional, ...names, ...decided];
  }
  return [];
}
