/**
 * Undoes a change to some fields. A field that still has the value that the change gave it goes back; a field that was
 * changed again stays.
 */

export type Undo = () => void;

/**
 * The fields to set so that `changes` are taken back.
 * @param before what the fields were before `changes`.
 * @param now what they are.
 */
export function takenBack<Fields extends object>(
  before: Fields,
  changes: Partial<Fields>,
  now: Fields,
): Partial<Fields> {
  const names = Object.keys(changes) as (keyof Fields)[];
  const unchanged = names.filter((name) => Object.is(now[name], changes[name]));
  return Object.fromEntries(unchanged.map((name) => [name, before[name]])) as Partial<Fields>;
}
