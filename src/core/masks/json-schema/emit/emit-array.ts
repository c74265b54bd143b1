/** Arrays. As with objects, a state says what is left to write (../array-states.ts); `emit` makes a rule for each state. */
import type { Expression } from "../../automaton/expression.ts";
import { type ArrayState, ArrayStates, countsOf, type ItemChoice, placesOf } from "../array-states.ts";
import type { ArrayAlternative, SchemaHandle } from "../normal-form.ts";
import { afterItemExpression, type Content, containerExpression } from "./brackets.ts";
import type { Emission } from "./emission.ts";
import { type LiteralChoice, literalsExpression } from "./emit-literal.ts";
import { allowsSomeValue } from "./emit-names.ts";
import { uniqueArrayExpression } from "./emit-unique.ts";
import { finiteValues } from "./finite-values.ts";

export function arrayExpression(emission: Emission, alternative: ArrayAlternative): Expression {
  if (alternative.unique && !isListed(alternative)) return uniqueArrayExpression(emission, alternative);
  return new ArrayMachine(emission, alternative).whole();
}

function isListed(array: ArrayAlternative): boolean {
  return array.contains.length > 0 || placesOf(array).every((place) => finiteValues(place.normal()) !== null);
}

class ArrayMachine {
  readonly #emission: Emission;
  readonly #array: ArrayAlternative;
  readonly #states: ArrayStates;
  readonly #restFrom: readonly string[];

  constructor(emission: Emission, array: ArrayAlternative) {
    this.#emission = emission;
    this.#array = array;
    // Items that have to differ were listed when the schema was normalized (array-shape.ts).
    const valuesOf = (handle: SchemaHandle) => finiteValues(handle.normal()) ?? [];
    this.#states = new ArrayStates(array, {
      isPossible: allowsSomeValue,
      valuesOf: array.unique ? valuesOf : null,
    });
    this.#restFrom = this.#signatures();
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
    const { start } = this.#states;
    if (!this.#states.canFinish(start)) return this.#emission.expressions.nothing;
    return containerExpression(this.#emission, this.#content(start));
  }

  #content(state: ArrayState): Content {
    return { brackets: "[]", canClose: this.#states.canClose(state), more: this.#items(state) };
  }

  #key(state: ArrayState): string {
    return this.#emission.shortName(`a${this.#restFrom[state.position]}|${countsOf(state)}`);
  }

  /** One item and the rest of the array; `nothing` if no further item is allowed. */
  #items(state: ArrayState): Expression {
    const choices = this.#states.possible(state);
    if (choices.length === 0) return this.#emission.expressions.nothing;
    const key = `i${this.#key(state)}`;
    return this.#emission.rule(key, () => this.#choiceOf(key, state, choices));
  }

  #choiceOf(key: string, state: ArrayState, choices: readonly ItemChoice[]): Expression {
    const { expressions } = this.#emission;
    const listed: LiteralChoice[] = [];
    const others: Expression[] = [];
    for (const choice of choices) {
      const after = this.#states.after(state, choice);
      if (choice.value === undefined) {
        others.push(expressions.sequence(this.#emission.value(choice.handle), this.#tail(after)));
      } else {
        listed.push({
          value: choice.value,
          key: () => `u${this.#emission.shortName(`${choice.text}>${this.#key(after)}`)}`,
          next: () => this.#tail(after),
        });
      }
    }
    return expressions.union(literalsExpression(this.#emission, key, listed), ...others);
  }

  /** The texts that may follow an item. */
  #tail(state: ArrayState): Expression {
    return this.#emission.rule(`e${this.#key(state)}`, () =>
      afterItemExpression(this.#emission, this.#content(state)),
    );
  }
}
