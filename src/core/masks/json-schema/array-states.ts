/**
 * An array while it is written: what is left to write, which items may come next, and whether the array can still be finished.
 * `normalize` asks this of whole arrays, and `emit` of each state.
 */
import { getOrCreate } from "../automaton/get-or-create.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import type { ArrayAlternative, Json, SchemaHandle } from "./normal-form.ts";
import { canonicalText } from "./read/json-value.ts";

export interface ArrayState {
  /** `prefix.length` means every position after the prefix. */
  readonly position: number;
  /** Items to come, at least and at most. */
  readonly min: number;
  readonly max: number;
  /** For each `contains`: items to come that are valid for it, at least and at most. */
  readonly wanted: readonly number[];
  readonly allowed: readonly number[];
  /** Canonical texts of the items so far, sorted; empty unless they have to differ. */
  readonly used: readonly string[];
}

/** One way to write the next item. */
export interface ItemChoice {
  readonly handle: SchemaHandle;
  /** The `contains` that the item counts for. */
  readonly counts: readonly number[];
  /** The item itself, when items have to differ, and its canonical text. */
  readonly value?: Json;
  readonly text?: string;
}

/** The questions of the search about the schemas of items. */
export interface ItemAnswers {
  /** Whether some value is valid. */
  readonly isPossible: (handle: SchemaHandle) => boolean;
  /** The values of an item, which are listed; null if items need not differ. */
  readonly valuesOf: ((handle: SchemaHandle) => readonly Json[]) | null;
}

/** Most states that are examined to find out whether an array can be finished; of all states, most choices. */
const MOST_STATES = 20_000;
/** Longest array that is searched for: the search is recursive. */
const LONGEST_SEARCH = 1_000;
/** An item may be valid for any set of the `contains`, so there are two to this power of schemas for one item. */
const MOST_CONTAINS = 6;

/**
 * Whether an array can have items for its `minItems` and its `contains`.
 * @param valuesOf for items that have to differ, if their values are listed; otherwise `unique` is not looked at
 * @throws ConstraintLimitError
 */
export function canHaveItems(
  array: ArrayAlternative,
  isPossible: ItemAnswers["isPossible"],
  valuesOf: ItemAnswers["valuesOf"] = null,
): boolean {
  if (array.contains.length === 0) return array.minItems <= mostItems(array, isPossible);
  if (array.contains.length > MOST_CONTAINS) {
    throw new ConstraintLimitError(`one array has more than ${MOST_CONTAINS} "contains" schemas`);
  }
  // All states that a text may reach are looked at now, so no later search takes longer. Listed values have too many sets of them.
  const states = new ArrayStates(array, { isPossible, valuesOf }, valuesOf === null);
  return states.canFinish(states.start);
}

/** The schemas of all places that may have an item: those of the first items, and that of the items after them. */
export function placesOf({
  prefix,
  rest,
  maxItems,
}: Pick<ArrayAlternative, "prefix" | "rest" | "maxItems">): readonly SchemaHandle[] {
  return [...prefix, rest].slice(0, maxItems);
}

/** The most items; `contains` and `uniqueItems` may allow fewer. */
export function mostItems(
  { prefix, rest, maxItems }: ArrayAlternative,
  isPossible: ItemAnswers["isPossible"],
): number {
  const blocked = prefix.findIndex((item) => !isPossible(item));
  if (blocked >= 0) return Math.min(maxItems, blocked);
  return maxItems > prefix.length && !isPossible(rest) ? prefix.length : maxItems;
}

export class ArrayStates {
  readonly start: ArrayState;
  readonly #array: ArrayAlternative;
  readonly #answers: ItemAnswers;
  /** The most items of the whole array. */
  readonly #most: number;
  readonly #choices = new Map<string, readonly ItemChoice[]>();
  readonly #canFinishBy = new Map<string, boolean>();
  /** Whether a search goes on after it has found a way to an end. */
  readonly #isExhaustive: boolean;
  #examined = 0;

  constructor(array: ArrayAlternative, answers: ItemAnswers, isExhaustive = false) {
    this.#isExhaustive = isExhaustive;
    this.#array = array;
    this.#answers = answers;
    this.#most = mostItems(array, answers.isPossible);
    this.start = this.#simplest({
      position: 0,
      min: array.minItems,
      max: this.#most,
      wanted: array.contains.map(({ min }) => min),
      allowed: array.contains.map(({ max }) => max),
      used: [],
    });
  }

  /** The next items with which the array can be finished. */
  possible(state: ArrayState): readonly ItemChoice[] {
    if (state.max === 0) return [];
    return this.#choicesAt(state).filter((choice) => this.canFinish(this.after(state, choice)));
  }

  canClose(state: ArrayState): boolean {
    return state.min === 0 && state.wanted.every((count) => count === 0);
  }

  after(state: ArrayState, { counts, text }: ItemChoice): ArrayState {
    const less = (count: number, index: number) => (counts.includes(index) ? count - 1 : count);
    return this.#simplest({
      position: Math.min(state.position + 1, this.#array.prefix.length),
      min: state.min - 1,
      max: state.max - 1,
      wanted: state.wanted.map(less),
      allowed: state.allowed.map(less),
      used: text === undefined ? state.used : [...state.used, text].sort(),
    });
  }

  canFinish(state: ArrayState): boolean {
    if (state.max < state.min || state.allowed.some((count) => count < 0)) return false;
    const isCounted = state.wanted.some((count, index) => count > 0 || Number.isFinite(state.allowed[index]));
    if (this.canClose(state) || (!isCounted && this.#answers.valuesOf === null)) return true;
    if (!isCounted && state.position === this.#array.prefix.length) {
      return this.#choicesAt(state).length >= state.min;
    }
    const items = state.min + state.wanted.reduce((sum, count) => sum + count, 0);
    if (items > LONGEST_SEARCH) throw tooManyCases();
    // A larger number of items makes no difference.
    const room = this.#array.prefix.length - state.position + items;
    return this.#search(state.max > room ? { ...state, max: Number.POSITIVE_INFINITY } : state);
  }

  #search(state: ArrayState): boolean {
    const key = `${state.position}|${countsOf(state)}`;
    const known = this.#canFinishBy.get(key);
    if (known !== undefined) return known;
    if (Math.max(this.#canFinishBy.size, this.#examined) >= MOST_STATES) throw tooManyCases();
    // An item that changes nothing leads back here and is no way out.
    this.#canFinishBy.set(key, false);
    let answer = false;
    for (const choice of state.max > 0 ? this.#choicesAt(state) : []) {
      if (this.canFinish(this.after(state, choice))) answer = true;
      if (this.#isExhaustive) this.#examined++;
      else if (answer) break;
    }
    this.#canFinishBy.set(key, answer);
    return answer;
  }

  /** Equal states are written alike. */
  #simplest(state: ArrayState): ArrayState {
    const min = Math.max(0, state.min);
    const wanted = state.wanted.map((count) => Math.max(0, count));
    const left = this.#most - state.position;
    return { ...state, min, wanted, max: state.max >= left ? left : state.max };
  }

  /** The choices that a state has, whether or not the array can be finished with them. */
  #choicesAt(state: ArrayState): readonly ItemChoice[] {
    const open = state.wanted.map((count, index) => count > 0 || Number.isFinite(state.allowed[index]));
    const key = `${state.position}|${open.map(Number).join("")}`;
    const all = getOrCreate(this.#choices, key, () =>
      this.#handlesAt(state.position, open).flatMap((choice) => this.#valuesOf(choice)),
    );
    if (this.#answers.valuesOf === null) return all;
    const used = new Set(state.used);
    return all.filter(({ text }) => text === undefined || !used.has(text));
  }

  /** The texts that the item may be, split by the `contains` whose counts are still open. Items that count come first. */
  #handlesAt(position: number, open: readonly boolean[]): readonly ItemChoice[] {
    const { prefix, rest, contains, both } = this.#array;
    let choices: readonly (ItemChoice & { readonly handles: readonly SchemaHandle[] })[] = [
      { handle: rest, counts: [], handles: [prefix[position] ?? rest] },
    ];
    for (const [index, { items, others }] of contains.entries()) {
      if (!open[index]) continue;
      choices = choices.flatMap((choice) => [
        { ...choice, counts: [...choice.counts, index], handles: [...choice.handles, items] },
        { ...choice, handles: [...choice.handles, others] },
      ]);
    }
    return choices
      .map(({ counts, handles: [first = rest, ...more] }) => ({
        counts,
        handle: more.length === 0 ? first : both([first, ...more]),
      }))
      .filter(({ handle }) => this.#answers.isPossible(handle));
  }

  #valuesOf(choice: ItemChoice): readonly ItemChoice[] {
    const { valuesOf } = this.#answers;
    if (valuesOf === null) return [choice];
    return valuesOf(choice.handle).map((value) => ({ ...choice, value, text: canonicalText(value) }));
  }
}

/** The counts and items of a state as a key for caches; the position is not part of the key. */
export function countsOf({ min, max, wanted, allowed, used }: ArrayState): string {
  const counts = wanted.map((count, index) => `${count}-${allowed[index]}`).join();
  return `${min}|${max}|${counts}|${used.join()}`;
}

function tooManyCases(): ConstraintLimitError {
  return new ConstraintLimitError("an array's contains and uniqueItems combine into too many cases");
}
