/** Conjunctions of atoms about arrays. */

import { canHaveItems, placesOf } from "../array-states.ts";
import { finiteValues } from "../emit/finite-values.ts";
import type { ArrayAlternative, SchemaHandle } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import { type ArrayAtom, type Atom, type Formula, refused } from "./atoms.ts";
import type { Handle, HandleTable } from "./handle.ts";
import type { Shape } from "./shape.ts";
import { mostUniqueItems, type UniqueItemsLimit } from "./unique-items.ts";

const infinity = Number.POSITIVE_INFINITY;

type Items = Extract<ArrayAtom, { is: "items" }>;
type Contains = Extract<ArrayAtom, { is: "contains" }>;

export class ArrayShape implements Shape {
  readonly #handles: HandleTable;
  #items: readonly Items[] = [];
  #contains: readonly Contains[] = [];
  #min = 0;
  #max = infinity;
  /** Path of the first `uniqueItems`. */
  #unique: string | null = null;
  #alternative: ArrayAlternative | undefined;

  constructor(handles: HandleTable) {
    this.#handles = handles;
  }

  copy(): ArrayShape {
    const made = new ArrayShape(this.#handles);
    made.#items = this.#items;
    made.#contains = this.#contains;
    made.#min = this.#min;
    made.#max = this.#max;
    made.#unique = this.#unique;
    made.#alternative = this.#alternative;
    return made;
  }

  add(added: Atom): boolean {
    const atom = added as ArrayAtom;
    if (this.entails(atom)) return true;
    this.#alternative = undefined;
    switch (atom.is) {
      case "items":
        this.#items = [...this.#items, atom];
        return true;
      case "length":
        this.#min = Math.max(this.#min, atom.min);
        this.#max = Math.min(this.#max, atom.max);
        return this.#min <= this.#max;
      case "contains":
        return this.#addContains(atom);
      case "unique":
        this.#unique ??= atom.path;
        return true;
    }
  }

  #addContains(atom: Contains): boolean {
    const same = this.#contains.find(({ items }) => items === atom.items);
    const min = Math.max(atom.min, same?.min ?? 0);
    const max = Math.min(atom.max, same?.max ?? infinity);
    this.#contains = [...this.#contains.filter((other) => other !== same), { ...atom, min, max }];
    return min <= max;
  }

  entails(asked: Atom): boolean {
    const atom = asked as ArrayAtom;
    switch (atom.is) {
      case "items":
        return this.#items.includes(atom);
      case "length":
        return atom.min <= this.#min && atom.max >= this.#max;
      case "contains":
        return this.#contains.some(
          ({ items, min, max }) => items === atom.items && atom.min <= min && atom.max >= max,
        );
      case "unique":
        return this.#unique !== null;
    }
  }

  isPossible(): boolean {
    const handles = this.#handles;
    const array = this.alternative();
    const isListed = array.unique && array.contains.length > 0 && this.#listed() !== null;
    const valuesOf = (handle: SchemaHandle) => finiteValues(handles.raw(handle)) ?? [];
    return canHaveItems(array, (handle) => handles.mayBePossible(handle), isListed ? valuesOf : null);
  }

  undecided(): Formula | null {
    if (!this.alternative().unique || this.#unique === null) return null;
    const items = this.#uniqueItems();
    return "problem" in items ? refused(this.#unique, items.problem) : null;
  }

  alternative(): ArrayAlternative {
    this.#alternative ??= this.#merged();
    return this.#alternative;
  }

  #merged(): ArrayAlternative {
    const handles = this.#handles;
    const both = (list: readonly SchemaHandle[]) => handles.both(list);
    const length = Math.max(0, ...this.#items.map(({ prefix }) => prefix.length));
    const at = (index: number) => both(this.#items.map(({ prefix, rest }) => prefix[index] ?? rest));
    const prefix: Handle[] = [];
    let max = this.#max;
    while (prefix.length < Math.min(length, max)) {
      const item = at(prefix.length);
      if (handles.mayBePossible(item)) prefix.push(item);
      else max = prefix.length;
    }
    const rest = both(this.#items.map((items) => items.rest));
    if (max > length && !handles.mayBePossible(rest)) max = length;
    const array: ArrayAlternative = {
      type: "array",
      prefix,
      rest: max > prefix.length ? rest : handles.always,
      minItems: this.#min,
      maxItems: max,
      contains: this.#contains.map(({ items, others, min, max }) => ({ items, others, min, max })),
      unique: false,
      both,
    };
    if (this.#unique === null || max <= 1) return array;
    this.#alternative = array;
    const items = this.#uniqueItems();
    return { ...array, unique: true, maxItems: "most" in items ? Math.min(max, items.most) : max };
  }

  #uniqueItems(): UniqueItemsLimit {
    const listed = this.#listed();
    return listed === null ? mostUniqueItems(this.alternative(), this.#handles) : { most: listed };
  }

  /** The number of different values that an item can have; null if these are too many to list. */
  #listed(): number | null {
    const values = new Set<string>();
    for (const place of placesOf(this.alternative())) {
      const listed = finiteValues(this.#handles.raw(place));
      if (listed === null) return null;
      for (const value of listed) values.add(canonicalText(value));
    }
    return values.size;
  }
}
