/** The values of a property by the clauses of its object that they meet. */
import { getOrCreate } from "../../automaton/get-or-create.ts";
import type { Clause, Json, PropertyWay, SchemaHandle } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import type { Handle, HandleTable } from "./handle.ts";

/** Most schemas by which clauses distinguish a property's values: each set of these schemas may hold. */
const MOST_DECIDING = 4;

type Clauses = readonly Clause[];

/** A schema for a property's value, and the clauses that hold if the value is valid for the schema. */
interface ValueTest {
  readonly value: SchemaHandle;
  readonly clauses: number[];
}

/** Whether the values of a property can be distinguished by the clauses that they satisfy. */
export function canDistinguishValues(
  clauses: Clauses,
  name: string,
  own: Handle,
  { always }: HandleTable,
): boolean {
  if (own.listing !== null) return true;
  const deciding = testsOf(clauses, name).filter(({ value }) => value !== always);
  return deciding.length <= MOST_DECIDING || deciding.every(({ value }) => listingOf(value) !== null);
}

/** The ways of a property whose values are valid for `own`: see `ways` in ../normal-form.ts. */
export function waysOf(
  clauses: Clauses,
  name: string,
  own: Handle,
  handles: HandleTable,
): readonly PropertyWay[] {
  if (own === handles.never) return [];
  const tests = testsOf(clauses, name);
  const met = tests.find(({ value }) => value === handles.always)?.clauses ?? [];
  const deciding = tests.filter(({ value }) => value !== handles.always);
  const listed = deciding.length === 0 ? null : own.listing;
  if (listed !== null) return waysOfValues(listed.values ?? [], own, deciding, met, handles);
  if (deciding.length <= MOST_DECIDING) return waysOfHandles(own, deciding, met, handles);
  const nodes = [...new Set(deciding.map(({ value }) => listingOf(value)))].filter((node) => node !== null);
  const values = nodes.flatMap((node) => node.values ?? []);
  const others = handles.both([own, ...nodes.map((node) => handles.not(node))]);
  const negated = deciding.filter(({ value }) => (value as Handle).listing === null);
  return [
    ...waysOfValues(values, own, deciding, met, handles),
    { values: others, meets: [...met, ...negated.flatMap((test) => test.clauses)] },
  ];
}

/** The tests of a property, one for each schema. */
function testsOf(clauses: Clauses, name: string): readonly ValueTest[] {
  const tests = new Map<SchemaHandle, ValueTest>();
  for (const [clause, parts] of clauses.entries()) {
    for (const part of parts) {
      if (part.name !== name || part.value === null) continue;
      const { value } = part;
      getOrCreate(tests, value, () => ({ value, clauses: [] })).clauses.push(clause);
    }
  }
  return [...tests.values()];
}

/** The schema that lists all values of the handle, or all values that the handle excludes; null if there is none. */
function listingOf(value: SchemaHandle): SchemaNode | null {
  const { listing, terms } = value as Handle;
  const [term] = terms;
  return (
    listing ?? (terms.length === 1 && term !== undefined && term.node.values !== null ? term.node : null)
  );
}

/** Makes a way for each set of clauses that some of the values satisfy. */
function waysOfValues(
  values: readonly Json[],
  own: Handle,
  deciding: readonly ValueTest[],
  met: readonly number[],
  handles: HandleTable,
): readonly PropertyWay[] {
  const groups = new Map<string, { readonly values: Json[]; readonly meets: readonly number[] }>();
  for (const value of new Map(values.map((each) => [canonicalText(each), each])).values()) {
    if (!handles.isValid(value, own)) continue;
    const more = deciding
      .filter((test) => handles.isValid(value, test.value))
      .flatMap((test) => test.clauses);
    getOrCreate(groups, more.join(), () => ({ values: [], meets: [...met, ...more] })).values.push(value);
  }
  return [...groups.values()];
}

/** Makes a way for each set of tests that values may pass, the smallest sets first. */
function waysOfHandles(
  own: Handle,
  deciding: readonly ValueTest[],
  met: readonly number[],
  handles: HandleTable,
): readonly PropertyWay[] {
  let sets: readonly (readonly ValueTest[])[] = [[]];
  for (const test of deciding) sets = [...sets, ...sets.map((set) => [...set, test])];
  return sets.map((set) => ({
    values: handles.both([own, ...set.map(({ value }) => value)]),
    meets: [...met, ...set.flatMap(({ clauses }) => clauses)],
  }));
}
