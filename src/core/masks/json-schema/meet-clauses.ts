/**
 * Whether the rest of an object can satisfy its clauses, and with how many properties. A clause is a condition with parts,
 * each about another property, of which one must hold: `dependentRequired: { a: ["b"] }` is "a is absent, or b is present". A
 * clause is open until a property meets it. Multiplied out, n such choices would make 2ⁿ alternatives of the object.
 * Example: properties a, b and c (required). Clause 0: a is absent, or b is present. Clause 1: b is absent, or a is present.
 *
 *     property   open clauses   choice     then open   possible numbers of properties from here on
 *     a          0, 1           absent     1
 *     b          1              absent     none        1: only c. With b present, clause 1 fails
 *     a          0, 1           present    0
 *     b          0              present    none        2: b and c. With b absent, clause 0 fails
 *
 * The result is 0b1010: 1 or 3 properties. The search remembers the result for each property and set of open clauses: here
 * three sets. `isSearchShort` counts these sets when the strategy is made; beyond `MOST_SETS` the choices are multiplied
 * out after all. A later search reaches no other sets, because each written property is one of the counted decisions.
 */
import type { Clause, PropertyWay, SchemaHandle } from "./normal-form.ts";

/** The most sets of open clauses that a search may reach, for all properties together. */
const MOST_SETS = 2_000;

/** A property that may still be written. */
export interface WritableProperty {
  readonly isRequired: boolean;
  readonly ways: () => readonly PropertyWay[];
}

export interface ClauseSearch {
  /** All clauses of the object; their order decides the order of the search. */
  readonly clauses: readonly Clause[];
  /** The open clauses, as places in `clauses`. */
  readonly open: readonly number[];
  /** All properties that may still be written. */
  readonly left: ReadonlyMap<string, WritableProperty>;
  /** True if the result must be complete: every possible number of properties. Otherwise some possible numbers are enough. */
  readonly isCounted: boolean;
  /** Whether some value is valid. */
  readonly isPossible: (handle: SchemaHandle) => boolean;
  /** Called for each set of open clauses, with its effort in units. */
  readonly spend?: (units: number) => void;
}

/** The possible numbers of properties in objects that satisfy the open clauses: bit n is set for n properties. */
export function possiblePropertyCounts(question: ClauseSearch): bigint {
  return new Search(question).counts();
}

/** Whether some number from `min` to `max` is among the counts. */
export function hasCountBetween(counts: bigint, min: number, max: number): boolean {
  const isPossible = [...counts.toString(2)].reverse();
  return isPossible.slice(min, max + 1).includes("1");
}

/** Whether every search for the rest of an object with these clauses is short. */
export function isSearchShort(question: Omit<ClauseSearch, "open" | "isCounted" | "isPossible">): boolean {
  const open = [...question.clauses.keys()];
  const search = new Search({ ...question, open, isCounted: true, isPossible: () => true }, MOST_SETS);
  search.counts();
  return search.size <= MOST_SETS;
}

/**
 * Sorts the clauses so that neighbours concern the same properties, and few clauses are half decided at a time: each next
 * clause is the first one with the fewest new names.
 */
export function arrangeClauses<Parts extends readonly { readonly name: string }[]>(
  clauses: readonly Parts[],
): readonly Parts[] {
  const left = new Set(clauses);
  const seen = new Set<string>();
  const ordered: Parts[] = [];
  while (left.size > 0) {
    let best: Parts | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const clause of left) {
      const count = clause.reduce((sum, { name }) => sum + Number(!seen.has(name)), 0);
      if (count >= fewest) continue;
      best = clause;
      fewest = count;
    }
    if (best === undefined) break;
    left.delete(best);
    ordered.push(best);
    for (const { name } of best) seen.add(name);
  }
  return ordered;
}

/** A property in the order of the search. */
interface Step {
  readonly property: WritableProperty;
  /** The clauses that hold if the property is absent. */
  readonly absent: readonly number[];
  /** The open clauses that concern the property. */
  readonly named: ReadonlySet<number>;
}

class Search {
  readonly #question: ClauseSearch;
  readonly #steps: readonly Step[];
  /** For each clause, the places of the first and of the last property that decide it. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  readonly #known = new Map<string, bigint>();
  /** For each property, the ways that have values; computed when the search reaches the property. */
  readonly #possible: (readonly PropertyWay[])[] = [];
  readonly #most: number;

  constructor(question: ClauseSearch, most = Number.POSITIVE_INFINITY) {
    this.#question = question;
    this.#most = most;
    const { clauses, open, left } = question;
    const names = new Set(clauses.flatMap((clause) => clause.map(({ name }) => name)));
    const ordered = [
      ...[...names].filter((name) => left.has(name)),
      ...[...left.keys()].filter((name) => !names.has(name)),
    ];
    const places = new Map(ordered.map((name, place) => [name, place]));
    const named = ordered.map(() => new Set<number>());
    const absent: number[][] = ordered.map(() => []);
    for (const index of open) {
      for (const part of clauses[index] as Clause) {
        const place = places.get(part.name);
        if (place === undefined) continue;
        named[place]?.add(index);
        if (part.absent) absent[place]?.push(index);
        this.#first[index] = Math.min(this.#first[index] ?? place, place);
        this.#last[index] = Math.max(this.#last[index] ?? place, place);
      }
    }
    this.#steps = ordered.map((name, place) => ({
      property: left.get(name) as WritableProperty,
      absent: absent[place] as number[],
      named: named[place] as Set<number>,
    }));
  }

  /** The number of sets of open clauses that the search has reached. */
  get size(): number {
    return this.#known.size;
  }

  counts(): bigint {
    return this.#rest(-1, this.#question.open);
  }

  /** The possible numbers of properties after a place; 0 if none of them can satisfy some open clause. */
  #rest(place: number, open: readonly number[]): bigint {
    // All properties of such a clause are decided and the clause is still open, so it fails.
    if (open.some((clause) => (this.#last[clause] ?? -1) <= place)) return 0n;
    const { isCounted } = this.#question;
    if (open.length === 0 && !isCounted) return 1n;
    let free = 0;
    let shift = 0n;
    for (let next = place + 1; next < this.#steps.length; next++) {
      const { property, named } = this.#steps[next] as Step;
      if (open.some((clause) => named.has(clause))) return widened(this.#decided(next, open), free) << shift;
      if (property.isRequired) shift++;
      else if (isCounted) free++;
    }
    return widened(1n, free) << shift;
  }

  /** The possible numbers for a property and those after it. */
  #decided(place: number, open: readonly number[]): bigint {
    // The key omits clauses whose first property comes here or later: these clauses are open whatever was decided before.
    const key = `${place}:${open.filter((clause) => (this.#first[clause] as number) < place)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Too many sets: `isSearchShort` reads only `size` then.
    if (this.#known.size > this.#most) return 0n;
    this.#question.spend?.(1 + (open.length >> 3));
    const { property, absent } = this.#steps[place] as Step;
    const without = (met: readonly number[]) => open.filter((clause) => !met.includes(clause));
    let counts = property.isRequired ? 0n : this.#rest(place, without(absent));
    for (const { meets } of this.#ways(place)) {
      if (counts !== 0n && !this.#question.isCounted) break;
      counts |= this.#rest(place, without(meets)) << 1n;
    }
    this.#known.set(key, counts);
    return counts;
  }

  #ways(place: number): readonly PropertyWay[] {
    const { property } = this.#steps[place] as Step;
    const { isPossible } = this.#question;
    this.#possible[place] ??= property
      .ways()
      .filter(({ values }) => !("key" in values) || isPossible(values));
    return this.#possible[place];
  }
}

/** The possible numbers if each of `free` further properties may be present or absent. */
function widened(counts: bigint, free: number): bigint {
  let wide = counts;
  for (let added = 0; added < free; added++) wide |= wide << 1n;
  return wide;
}
