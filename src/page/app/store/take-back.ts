/**
 * Undoes a change to some fields. A field that still has the changed value gets its old value; a field that was changed again
 * stays.
 */

export type Undo = () => void;

/** The fields to set so that `changes` are undone. @param before the fields before `changes`. @param now the present fields. */
export function fieldsToUndo<Fields extends object>(
  before: Fields,
  changes: Partial<Fields>,
  now: Fields,
): Partial<Fields> {
  const names = Object.keys(changes) as (keyof Fields)[];
  const unchanged = names.filter((name) => Object.is(now[name], changes[name]));
  return Object.fromEntries(unchanged.map((name) => [name, before[name]])) as Partial<Fields>;
}
