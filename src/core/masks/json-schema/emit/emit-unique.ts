/**
 * Arrays of different items that are too many to list: each item is remembered as it is written (distinct.ts). Each item has a
 * single spelling, so two items are equal if their texts are equal. An earlier check made sure that an item is left wherever one
 * is required.
 */
import { distinctText } from "../../automaton/distinct.ts";
import type { Expression } from "../../automaton/expression.ts";
import type { Sequel } from "../../automaton/expression-node.ts";
import type { ArrayAlternative } from "../normal-form.ts";
import { stringTerminal } from "../scalars/string-terminal.ts";
import type { Emission } from "./emission.ts";
import { allowsSome } from "./emit-names.ts";
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
    const { expressions, style } = this.#emission;
    const { prefix, rest, minItems, maxItems } = this.#array;
    const stop = prefix.findIndex((handle) => !allowsSome(handle));
    const length = allowsSome(rest) ? Number.POSITIVE_INFINITY : prefix.length;
    const max = Math.min(maxItems, stop === -1 ? length : stop);
    if (minItems > max) return expressions.nothing;
    const start = { position: 0, min: minItems, max };
    return expressions.sequence(
      expressions.literal("["),
      style.gap,
      style.line,
      expressions.union(this.#close(start), this.#item(start, expressions.nothing)),
    );
  }

  #close({ min }: State): Expression {
    const { expressions } = this.#emission;
    return min === 0 ? expressions.literal("]") : expressions.nothing;
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
    const known = this.#sequels.get(key);
    if (known !== undefined) return known;
    const { expressions, style } = this.#emission;
    const after = (seen: Expression) => {
      const more = expressions.sequence(style.comma, this.#item(state, seen));
      const close = expressions.sequence(style.line, this.#close(state));
      return expressions.sequence(style.gap, expressions.union(close, more));
    };
    let general: Expression | undefined;
    const sequel: Sequel = {
      after,
      general() {
        general ??= after(expressions.nothing);
        return general;
      },
    };
    this.#sequels.set(key, sequel);
    return sequel;
  }
}
