/**
 * Arrays of different items that are too many to list: each item is remembered as it is written (distinct.ts). Each item has a
 * single spelling, so two items are equal if their texts are equal. An earlier check made sure that an item is left wherever one
 * is required.
 */
import { createSequel, distinctText } from "../../automaton/distinct.ts";
import type { Expression } from "../../automaton/expression.ts";
import type { Sequel } from "../../automaton/expression-node.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { mostItems } from "../array-states.ts";
import type { ArrayAlternative } from "../normal-form.ts";
import { stringTerminal } from "../scalars/string-terminal.ts";
import { afterItemExpression, type Content, containerExpression } from "./brackets.ts";
import type { Emission } from "./emission.ts";
import { allowsSomeValue } from "./emit-names.ts";
import { hasContainers, itemTexts } from "./item-texts.ts";

interface State {
  /** `prefix.length` means every position after the prefix. */
  readonly position: number;
  /** Items to come, at least and at most. */
  readonly min: number;
  readonly max: number;
}

export function uniqueArrayExpression(emission: Emission, array: ArrayAlternative): Expression {
  return new UniqueArray(emission, array).whole();
}

class UniqueArray {
  readonly #emission: Emission;
  readonly #array: ArrayAlternative;
  readonly #texts: (Expression | undefined)[] = [];
  readonly #sequels = new Map<string, Sequel>();

  constructor(emission: Emission, array: ArrayAlternative) {
    this.#emission = emission;
    this.#array = array;
  }

  whole(): Expression {
    const { minItems } = this.#array;
    const max = mostItems(this.#array, allowsSomeValue);
    const { nothing } = this.#emission.expressions;
    if (minItems > max) return nothing;
    return containerExpression(this.#emission, this.#content({ position: 0, min: minItems, max }, nothing));
  }

  #content(state: State, seen: Expression): Content {
    return { brackets: "[]", canClose: state.min === 0, more: this.#item(state, seen) };
  }

  /** One item that is not in `seen`, and the rest of the array; `nothing` if no further item is allowed. */
  #item(state: State, seen: Expression): Expression {
    const { expressions } = this.#emission;
    if (state.max === 0) return expressions.nothing;
    const after = {
      position: Math.min(state.position + 1, this.#array.prefix.length),
      min: Math.max(0, state.min - 1),
      max: state.max - 1,
    };
    return distinctText(expressions, this.#textsAt(state.position), seen, this.#sequel(after));
  }

  #textsAt(position: number): Expression {
    const { expressions, options } = this.#emission;
    const { prefix, rest } = this.#array;
    const handle = prefix[position] ?? rest;
    this.#texts[position] ??= hasContainers(handle.normal())
      ? this.#emission.canonical().value(handle)
      : itemTexts(expressions, handle.normal(), options.whiteSpace, stringTerminal);
    return this.#texts[position];
  }

  /** After an item. */
  #sequel(state: State): Sequel {
    const key = `${state.position}|${state.min}|${state.max}`;
    return getOrCreate(this.#sequels, key, () =>
      createSequel(this.#emission.expressions, (seen) =>
        afterItemExpression(this.#emission, this.#content(state, seen)),
      ),
    );
  }
}
