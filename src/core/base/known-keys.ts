/**
 * Finds unknown keys in an object that a user wrote, and the known key that was probably meant. Every reader of such objects
 * refuses unknown keys with the sentences made here.
 */

/** The first unknown key of `value`. Keys whose value is undefined are ignored. A getter of a known key is not called. */
export function unknownKey(value: object, known: readonly string[]): string | undefined {
  const given = value as Readonly<Record<string, unknown>>;
  return Object.keys(given).find((key) => !known.includes(key) && given[key] !== undefined);
}

/** `Did you mean "includes"?`, or a list of all known names if none is similar. */
export function formatNameSuggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near !== null) return `Did you mean ${JSON.stringify(near)}?`;
  return known.length === 0
    ? "No fields are allowed here."
    : `The known names are ${[...known].toSorted().join(", ")}.`;
}

/** The sentence about an unknown key. `path`: the path of the object, "" for the whole value. */
export function describeUnknownKey(path: string, key: string, known: readonly string[]): string {
  return `${path === "" ? key : `${path}.${key}`} is not known. ${formatNameSuggestion(key, known)}`;
}

/** @throws the error that `refuse` makes from the sentence about the first unknown key and the key's path */
export function refuseUnknownKeys(
  value: object,
  known: readonly string[],
  path: string,
  refuse: (message: string, keyPath: string) => Error,
): void {
  const key = unknownKey(value, known);
  if (key === undefined) return;
  throw refuse(describeUnknownKey(path, key, known), path === "" ? key : `${path}.${key}`);
}

/** An entry for each key of the options: the compiler reports a missing key. */
export type OptionKeys<Options> = Readonly<Record<keyof Required<Options>, true>>;

/** A check of objects inside one value: `refuse` makes the error. `path`: of the object in the value, "" for the whole value. `known`: an object with the known keys. */
export function createKeyCheck(
  refuse: (message: string) => Error,
): (value: object, known: object, path: string) => void {
  return (value, known, path) => refuseUnknownKeys(value, Object.keys(known), path, refuse);
}

/** @throws TypeError for an option that does not exist. `what`: the function that is called. */
export function checkOptionKeys<Options extends object>(
  what: string,
  options: Options,
  known: OptionKeys<Options>,
): void {
  refuseUnknownKeys(options, Object.keys(known), "", (message) => new TypeError(`${what}: ${message}`));
}

/** The known name that needs the fewest changes; null if each needs more than a third of the name. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const plain = plainName(name);
  const allowed = Math.max(1, Math.floor(plain.length / 3));
  let nearest: string | null = null;
  let fewest = allowed + 1;
  for (const each of known) {
    const changes = distance(plain, plainName(each), fewest);
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = each;
  }
  return nearest;
}

/**
 * Makes `maxTokens`, `max-tokens` and `max_tokens` the same name. Long names are cut, because they are similar to no known
 * name.
 */
const plainName = (name: string): string => name.slice(0, 100).toLowerCase().replace(/[-_ ]/g, "");

/** Damerau-Levenshtein distance (optimal string alignment). If it is not below `most`, any number from `most` on is returned. */
function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) >= most) return most;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const replaced = (row[j - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? most;
}
