/** Merges the properties, patterns and additional properties of several schemas into those of one schema. */

import { getOrCreate } from "../../automaton/get-or-create.ts";
import type { EffortMeter } from "../effort.ts";
import { hasCountBetween, possiblePropertyCounts } from "../meet-clauses.ts";
import type { Clause, ObjectAlternative, PropertyWay, SchemaHandle } from "../normal-form.ts";
import { refusal } from "../read/scan.ts";
import { type SchemaNode, withSchemasInPlace } from "../read/schema-node.ts";
import { matchesPattern } from "../scalars/scalars.ts";
import type { PropertyRules } from "./atoms.ts";
import type { Handle, HandleTable } from "./handle.ts";
import { waysOf } from "./property-ways.ts";

interface ObjectConditions {
  readonly members: readonly PropertyRules[];
  readonly ranks: () => ReadonlyMap<string, number>;
  readonly required: ReadonlySet<string>;
  readonly forbidden: ReadonlySet<string>;
  readonly names: readonly Handle[];
  readonly clauses: readonly Clause[];
  readonly min: number;
  readonly max: number;
}

export function mergeMembers(handles: HandleTable, asked: ObjectConditions): ObjectAlternative {
  const others = otherNames(handles, asked.members);
  const names = [...asked.names, ...others.names];
  const allowed = names.length === 0 ? null : handles.both(names);
  const declared = declaredNames(asked);
  handles.effort.spend(declared.size * (asked.members.length + 1));
  const properties = new Map<string, Handle>();
  const ways = new Map<string, readonly PropertyWay[]>();
  const allowedNames = handles.both(asked.names);
  for (const name of declared) {
    const isForbidden =
      asked.forbidden.has(name) || (asked.names.length > 0 && !handles.isValid(name, allowedNames));
    const each = asked.members.map((members) => schemaOfName(handles, members, name));
    properties.set(name, isForbidden ? handles.never : handles.both(each));
  }
  return {
    type: "object",
    properties,
    required: asked.required,
    patterns: others.patterns,
    additional: others.additional,
    names: allowed,
    minProperties: Math.max(asked.min, asked.required.size),
    maxProperties: asked.max,
    clauses: asked.clauses,
    ways: (name) =>
      getOrCreate(ways, name, () =>
        waysOf(asked.clauses, name, properties.get(name) ?? handles.never, handles),
      ),
    both: (list) => handles.both(list),
  };
}

/**
 * The names that an object declares: first the names that schemas list, in the order of the lists. A name from elsewhere
 * (`required`, a negation) comes before the first listed name that follows it in the schema, or at the end.
 */
function declaredNames(asked: ObjectConditions): ReadonlySet<string> {
  const { members, required, forbidden, clauses, ranks } = asked;
  const listed = new Set(
    members.flatMap(({ properties, isListed }) => (isListed ? [...properties.keys()] : [])),
  );
  const decided = clauses.flatMap((clause) => clause.map(({ name }) => name));
  const named = members.flatMap(({ properties }) => [...properties.keys()]);
  const all = [...named, ...required, ...forbidden, ...decided];
  const others = [...new Set(all)].filter((name) => !listed.has(name));
  if (others.length === 0) return listed;
  const rank = ranks();
  const rankOf = (name: string) => rank.get(name) ?? rank.size;
  others.sort((a, b) => rankOf(a) - rankOf(b));
  const ordered: string[] = [];
  for (const name of listed) {
    while (others[0] !== undefined && rankOf(others[0]) < rankOf(name))
      ordered.push(others.shift() as string);
    ordered.push(name);
  }
  return new Set([...ordered, ...others]);
}

/** The position of each property's name among the names that some schemas list for the same value. */
export function nameRanks(nodes: readonly SchemaNode[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const node of withSchemasInPlace(nodes)) {
    for (const name of node.properties?.keys() ?? []) if (!ranks.has(name)) ranks.set(name, ranks.size);
  }
  return ranks;
}

/** The results of `schemaOfName` for rules with patterns: the alternatives of an object ask for the same names again and again. */
const schemasOfNames = new WeakMap<PropertyRules, Map<string, Handle>>();

/** The schemas that one schema applies to the property with this name. */
function schemaOfName(handles: HandleTable, rules: PropertyRules, name: string): Handle {
  const { properties, patterns, additional } = rules;
  if (patterns.length === 0) return properties.get(name) ?? additional;
  const known = getOrCreate(schemasOfNames, rules, () => new Map<string, Handle>());
  return getOrCreate(known, name, () => findSchemaOfName(handles, rules, name));
}

function findSchemaOfName(
  handles: HandleTable,
  { properties, patterns, additional }: PropertyRules,
  name: string,
): Handle {
  const found: Handle[] = [];
  const own = properties.get(name);
  if (own !== undefined) found.push(own);
  for (const { pattern, schema } of patterns) {
    if (matchesPattern(pattern, name)) found.push(schema);
  }
  return found.length === 0 ? additional : handles.both(found);
}

interface OtherNames {
  readonly patterns: readonly { readonly pattern: string; readonly schema: Handle }[];
  readonly additional: Handle;
  /** Schemas for the names that are not declared. */
  readonly names: readonly Handle[];
}

/**
 * Rules for names that no schema declares. A schema's rule for additional properties also applies to names that match only the
 * patterns of other schemas. This is simple if the schema has no patterns of its own; if the schema allows no additional
 * properties, the names have to match its own patterns.
 */
function otherNames(handles: HandleTable, members: readonly PropertyRules[]): OtherNames {
  const { always, never } = handles;
  const demanding = members.filter(({ additional }) => additional !== always);
  const patterned = members.filter(({ patterns }) => patterns.length > 0);
  const names: Handle[] = [];
  const everywhere: Handle[] = [];
  for (const one of demanding) {
    const texts = one.patterns.map(({ pattern }) => pattern);
    const outside = patterned.some(
      (other) => other !== one && other.patterns.some(({ pattern }) => !texts.includes(pattern)),
    );
    if (!outside) continue;
    if (texts.length === 0) everywhere.push(one.additional);
    else if (one.additional === never) names.push(handles.matching(texts, one.path));
    else {
      throw refusal(
        one.path,
        "its patternProperties and additionalProperties cannot be enforced together with the patternProperties of another schema; merge the two schemas",
      );
    }
  }
  return {
    patterns: patterned.flatMap(({ patterns }) =>
      patterns.map(({ pattern, schema }) => ({ pattern, schema: handles.both([schema, ...everywhere]) })),
    ),
    additional: handles.both(demanding.map(({ additional }) => additional)),
    names,
  };
}

/** Whether an object can have its required properties, meet its clauses and have enough names. Undeclared names, if allowed, count as infinitely many. */
export function canHaveMembers(
  object: ObjectAlternative,
  isPossible: IsPossible,
  effort?: EffortMeter,
): boolean {
  const { properties, required, minProperties, maxProperties } = object;
  if (minProperties > maxProperties) return false;
  for (const name of required) {
    const handle = properties.get(name);
    if (handle === undefined || !isPossible(handle)) return false;
  }
  return canMeetClauses(object, isPossible, effort) && canHaveEnough(object, isPossible);
}

type IsPossible = (handle: SchemaHandle) => boolean;

function canMeetClauses(object: ObjectAlternative, isPossible: IsPossible, effort?: EffortMeter): boolean {
  const { properties, required, maxProperties, clauses, ways } = object;
  if (clauses.length === 0) return true;
  const property = (name: string) => ({ isRequired: required.has(name), ways: () => ways(name) });
  const counts = possiblePropertyCounts({
    clauses,
    open: [...clauses.keys()],
    left: new Map([...properties.keys()].map((name) => [name, property(name)])),
    isCounted: maxProperties < Number.POSITIVE_INFINITY,
    isPossible,
    spend: (units) => effort?.spend(units),
  });
  return hasCountBetween(counts, 0, maxProperties);
}

function canHaveEnough(object: ObjectAlternative, isPossible: IsPossible): boolean {
  const { properties, required, minProperties } = object;
  if (minProperties <= required.size) return true;
  const others = [object.additional, ...object.patterns.map(({ schema }) => schema)];
  if (others.some(isPossible) && (object.names === null || isPossible(object.names))) return true;
  let count = 0;
  for (const handle of properties.values()) if (isPossible(handle)) count++;
  return count >= minProperties;
}
