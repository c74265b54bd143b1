/**
 * Arrays. As with objects, a state says what is left to write: the position, the least and most number of further items, the
 * items that each `contains` needs, and for `uniqueItems` the values so far.
 */
import type { Expression } from "../../automaton/expression.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { mostItems } from "../most-items.ts";
import type { ArrayAlternative, Json, SchemaHandle } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import { afterItemExpression, type Content, containerExpression } from "./brackets.ts";
import type { Emission } from "./emission.ts";
import { type LiteralChoice, literalsExpression } from "./emit-literal.ts";
import { allowsSomeValue } from "./emit-names.ts";
import { uniqueArrayExpression } from "./emit-unique.ts";
import { finiteValues } from "./finite-values.ts";

interface State {
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
interface Choice {
  readonly handle: SchemaHandle;
  /** The `contains` that the item counts for. */
  readonly counts: readonly number[];
  /** The item itself, when items have to differ, and its canonical text. */
  readonly value?: Json;
  readonly text?: string;
}

/** Most states that are examined to find out whether an array can be finished. */
const MOST_STATES = 20_000;
/** Longest array that is searched for: the search is recursive. */
const LONGEST_SEARCH = 1_000;

export function arrayExpression(emission: Emission, alternative: ArrayAlternative): Expression {
  if (alternative.unique && !isListed(alternative)) return uniqueArrayExpression(emission, alternative);
  return new ArrayMachine(emission, alternative).whole();
}

function isListed({ prefix, rest, maxItems, contains }: ArrayAlternative): boolean {
  const places = maxItems > prefix.length ? [...prefix, rest] : prefix;
  return contains.length > 0 || places.every((place) => finiteValues(place.normal()) !== null);
}

class ArrayMachine {
  readonly #emission: Emission;
  readonly #array: ArrayAlternative;
  readonly #restFrom: readonly string[];
  /** The most items of the whole array. */
  readonly #most: number;
  readonly #start: State;
  readonly #choices = new Map<string, readonly Choice[]>();
  readonly #canFinishBy = new Map<string, boolean>();

  constructor(emission: Emission, array: ArrayAlternative) {
    this.#emission = emission;
    this.#array = array;
    this.#most = mostItems(array, allowsSomeValue);
    this.#restFrom = this.#signatures();
    this.#start = this.#simplest({
      position: 0,
      min: array.minItems,
      max: this.#most,
      wanted: array.contains.map(({ min }) => min),
      allowed: array.contains.map(({ max }) => max),
      used: [],
    });
  }

  /** Short names for what may stand from each position on. */
  #signatures(): readonly string[] {
    const { prefix, rest, contains, unique } = this.#array;
    const all = [rest.key, unique, contains.map(({ items, others }) => [items.key, others.key])];
    const names = [this.#emission.shortName(`a${JSON.stringify(all)}`)];
    for (const handle of prefix.toReversed()) {
      names.push(this.#emission.shortName(`a${JSON.stringify([handle.key, names.at(-1)])}`));
    }
    return names.reverse();
  }

  whole(): Expression {
    if (!this.#canFinish(this.#start)) return this.#emission.expressions.nothing;
    return containerExpression(this.#emission, this.#content(this.#start));
  }

  #content(state: State): Content {
    return { brackets: "[]", canClose: this.#canClose(state), more: this.#items(state) };
  }

  /** Equal states are written alike. */
  #simplest(state: State): State {
    const min = Math.max(0, state.min);
    const wanted = state.wanted.map((count) => Math.max(0, count));
    const left = this.#most - state.position;
    return { ...state, min, wanted, max: state.max >= left ? left : state.max };
  }

  #key({ position, min, max, wanted, allowed, used }: State): string {
    const counts = wanted.map((count, index) => `${count}-${allowed[index]}`).join();
    return this.#emission.shortName(`a${this.#restFrom[position]}|${min}|${max}|${counts}|${used.join()}`);
  }

  #canClose(state: State): boolean {
    return state.min === 0 && state.wanted.every((count) => count === 0);
  }

  /** One item and the rest of the array; `nothing` if no further item is allowed. */
  #items(state: State): Expression {
    const choices = this.#possible(state);
    if (choices.length === 0) return this.#emission.expressions.nothing;
    const key = `i${this.#key(state)}`;
    return this.#emission.rule(key, () => this.#choiceOf(key, state, choices));
  }

  #possible(state: State): readonly Choice[] {
    if (state.max === 0) return [];
    return this.#choicesAt(state).filter((choice) => this.#canFinish(this.#after(state, choice)));
  }

  #choiceOf(key: string, state: State, choices: readonly Choice[]): Expression {
    const { expressions } = this.#emission;
    const listed: LiteralChoice[] = [];
    const others: Expression[] = [];
    for (const choice of choices) {
      const after = this.#after(state, choice);
      if (choice.value === undefined) {
        others.push(expressions.sequence(this.#emission.value(choice.handle), this.#tail(after)));
      } else {
        const name = this.#emission.shortName(`${choice.text}>${this.#key(after)}`);
        listed.push({ value: choice.value, key: `u${name}`, next: () => this.#tail(after) });
      }
    }
    return expressions.union(literalsExpression(this.#emission, key, listed), ...others);
  }

  /** The texts that may follow an item. */
  #tail(state: State): Expression {
    return this.#emission.rule(`e${this.#key(state)}`, () =>
      afterItemExpression(this.#emission, this.#content(state)),
    );
  }

  #after(state: State, { counts, text }: Choice): State {
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

  /** The choices that a state has, whether or not the array can be finished with them. */
  #choicesAt(state: State): readonly Choice[] {
    const open = state.wanted.map((count, index) => count > 0 || Number.isFinite(state.allowed[index]));
    const key = `${state.position}|${open.map(Number).join("")}`;
    let all = this.#choices.get(key);
    if (all === undefined) {
      all = this.#handlesAt(state.position, open).flatMap((choice) => this.#valuesOf(choice));
      this.#choices.set(key, all);
    }
    if (!this.#array.unique) return all;
    const used = new Set(state.used);
    return all.filter(({ text }) => text === undefined || !used.has(text));
  }

  /** The texts that the item may be, split by the `contains` whose counts are still open. Items that count come first. */
  #handlesAt(position: number, open: readonly boolean[]): readonly Choice[] {
    const { prefix, rest, contains, both } = this.#array;
    let choices: readonly (Choice & { readonly handles: readonly SchemaHandle[] })[] = [
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
      .filter(({ handle }) => allowsSomeValue(handle));
  }

  /** Items that have to differ were listed when the schema was normalized (array-shape.ts). */
  #valuesOf(choice: Choice): readonly Choice[] {
    if (!this.#array.unique) return [choice];
    const values = finiteValues(choice.handle.normal()) ?? [];
    return values.map((value) => ({ ...choice, value, text: canonicalText(value) }));
  }

  #canFinish(state: State): boolean {
    if (state.max < state.min || state.allowed.some((count) => count < 0)) return false;
    const isCounted = state.wanted.some((count, index) => count > 0 || Number.isFinite(state.allowed[index]));
    if (!isCounted && !this.#array.unique) return true;
    if (this.#canClose(state)) return true;
    if (!isCounted && state.position === this.#array.prefix.length) {
      return this.#choicesAt(state).length >= state.min;
    }
    const items = state.min + state.wanted.reduce((sum, count) => sum + count, 0);
    if (items > LONGEST_SEARCH) {
      throw tooManyCases();
    }
    // A larger number of items makes no difference.
    const room = this.#array.prefix.length - state.position + items;
    return this.#search(state.max > room ? { ...state, max: Number.POSITIVE_INFINITY } : state);
  }

  #search(state: State): boolean {
    const key = this.#key(state);
    const known = this.#canFinishBy.get(key);
    if (known !== undefined) return known;
    if (this.#canFinishBy.size >= MOST_STATES) {
      throw tooManyCases();
    }
    // An item that changes nothing leads back here and is no way out.
    this.#canFinishBy.set(key, false);
    const answer =
      state.max > 0 && this.#choicesAt(state).some((choice) => this.#canFinish(this.#after(state, choice)));
    this.#canFinishBy.set(key, answer);
    return answer;
  }
}

function tooManyCases(): ConstraintLimitError {
  return new ConstraintLimitError("an array's contains and uniqueItems combine into too many cases");
}
