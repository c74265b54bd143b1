/** The values of a property by the clauses of its object that they meet. */
import type { Clause, Json, PropertyWay, SchemaHandle } from "../normal-form.ts";
import type { Handle, HandleTable } from "./handle.ts";

/** Most clauses that one property's value decides, unless its values are listed: each set of them may hold. */
const MOST_DECIDED = 4;

type Clauses = readonly Clause[];

/** Whether the values of a property can be distinguished by the clauses that they satisfy. */
export function canDistinguishValues(
  clauses: Clauses,
  name: string,
  own: Handle,
  { always }: HandleTable,
): boolean {
  return (
    own.listing !== null ||
    clauseValuesOf(clauses, name).filter(({ value }) => value !== always).length <= MOST_DECIDED
  );
}

/** The ways of a property whose values are valid for `own`: see `ways` in ../normal-form.ts. */
export function waysOf(
  clauses: Clauses,
  name: string,
  own: Handle,
  handles: HandleTable,
): readonly PropertyWay[] {
  if (own === handles.never) return [];
  const asked = clauseValuesOf(clauses, name);
  const met = asked.filter(({ value }) => value === handles.always).map(({ clause }) => clause);
  const deciding = asked.filter(({ value }) => value !== handles.always);
  const listed = deciding.length === 0 ? null : (own.listing?.values ?? null);
  if (listed === null) return waysOfHandles(own, deciding, met, handles);
  const groups = new Map<string, { readonly values: Json[]; readonly meets: readonly number[] }>();
  for (const each of listed) {
    if (!handles.isValid(each, own)) continue;
    const more = deciding.filter(({ value }) => handles.isValid(each, value)).map(({ clause }) => clause);
    const group = groups.get(more.join()) ?? { values: [], meets: [...met, ...more] };
    group.values.push(each);
    groups.set(more.join(), group);
  }
  return [...groups.values()];
}

/** The values of a property that meet a clause. */
interface ClauseValue {
  readonly clause: number;
  readonly value: SchemaHandle;
}

function clauseValuesOf(clauses: Clauses, name: string): readonly ClauseValue[] {
  return clauses.flatMap((parts, clause) =>
    parts.flatMap((part) =>
      part.name === name && part.value !== null ? [{ clause, value: part.value }] : [],
    ),
  );
}

/** Makes a way for each set of clauses that values may satisfy, the smallest sets first. */
function waysOfHandles(
  own: Handle,
  deciding: readonly ClauseValue[],
  met: readonly number[],
  handles: HandleTable,
): readonly PropertyWay[] {
  let sets: readonly (readonly ClauseValue[])[] = [[]];
  for (const one of deciding) sets = [...sets, ...sets.map((set) => [...set, one])];
  return sets.map((set) => ({
    values: handles.both([own, ...set.map(({ value }) => value)]),
    meets: [...met, ...set.map(({ clause }) => clause)],
  }));
}
