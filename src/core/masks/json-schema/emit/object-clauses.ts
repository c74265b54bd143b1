/** The clauses of an object as it is written: which of them are open in a state, and what the value of a property says about them. */
import type { Expression } from "../../automaton/expression.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { canMeet } from "../meet-clauses.ts";
import type { Clause, Json, ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import type { Emission } from "./emission.ts";
import { literals } from "./emit-literal.ts";
import { allowsSome } from "./emit-names.ts";
import { finiteValues } from "./finite-values.ts";

/** Places of clauses in the alternative that no property has met so far. */
export type Open = readonly number[];

/** Values of a property, and the clauses that are open behind them. Two ways may have values in common. */
interface Way {
  readonly value: () => Expression;
  readonly open: Open;
}

interface Property {
  readonly name: string;
  readonly handle: SchemaHandle;
  readonly isRequired: boolean;
}

/** The properties that may still be written. */
type Left = ReadonlyMap<string, Property>;

interface Deciding {
  readonly clause: number;
  /** The values that meet the clause. */
  readonly handle: SchemaHandle;
}

/** Most clauses that one value may decide in every combination. */
const MOST_DECIDED = 8;

export class ObjectClauses {
  readonly #emission: Emission;
  readonly #clauses: readonly Clause[];
  readonly #both: ObjectAlternative["both"];
  /** Equal for equal clauses. */
  readonly name: string;

  constructor(emission: Emission, { clauses, both }: ObjectAlternative) {
    this.#emission = emission;
    this.#clauses = clauses;
    this.#both = both;
    const parts = clauses.map((clause) =>
      clause.map(({ name, absent, value }) => [name, absent, value === "any" ? [] : value?.key]),
    );
    this.name = clauses.length === 0 ? "" : emission.shortName(`c${JSON.stringify(parts)}`);
  }

  get all(): Open {
    return [...this.#clauses.keys()];
  }

  /** The clauses that are open when properties are left out: `isLeftOut` of their names. */
  without(open: Open, isLeftOut: (name: string) => boolean): Open {
    return open.filter((index) => !this.#clause(index).some(({ name, absent }) => absent && isLeftOut(name)));
  }

  /** Whether the object may end: no property is written any more. */
  areMetWithout(open: Open, left: Left): boolean {
    return this.without(open, (name) => left.has(name)).length === 0;
  }

  /** Whether the properties that may still be written can meet the open clauses. */
  canMeet(open: Open, left: Left, canCount: (added: number, leftOut: number) => boolean): boolean {
    const clauses = open.map((index) => this.#clause(index).filter(({ name }) => left.has(name)));
    return canMeet(clauses, {
      isRequired: (name) => left.get(name)?.isRequired ?? false,
      canBe: (name, values) => {
        const handle = left.get(name)?.handle;
        return handle !== undefined && allowsSome(this.#both([handle, ...values]));
      },
      canCount,
    });
  }

  /** The values of a property that is written, by the clauses that they meet. */
  ways({ name, handle }: Property, open: Open): readonly Way[] {
    const value = () => this.#emission.value(handle);
    if (open.length === 0) return [{ value, open }];
    const met = new Set<number>();
    const deciding: Deciding[] = [];
    for (const clause of open) {
      const asked = this.#clause(clause).find((part) => part.name === name)?.value ?? null;
      if (asked === "any") met.add(clause);
      if (asked === "any" || asked === null) continue;
      const valid = this.#both([handle, asked]);
      if (allowsSome(valid)) deciding.push({ clause, handle: valid });
    }
    const left = open.filter((clause) => !met.has(clause));
    if (deciding.length === 0) return [{ value, open: left }];
    const listed = finiteValues(handle);
    return listed === null
      ? this.#waysOfSets(handle, deciding, left)
      : this.#waysOfValues(listed, deciding, left);
  }

  /** One way for each set of clauses that values may meet. */
  #waysOfSets(handle: SchemaHandle, deciding: readonly Deciding[], left: Open): readonly Way[] {
    if (deciding.length > MOST_DECIDED) {
      throw new ConstraintLimitError(`one property decides more than ${MOST_DECIDED} conditions`);
    }
    let sets: readonly (readonly Deciding[])[] = [[]];
    for (const one of deciding) sets = sets.flatMap((set) => [set, [...set, one]]);
    return sets.flatMap((set) => {
      const valid = this.#both([handle, ...set.map((one) => one.handle)]);
      if (!allowsSome(valid)) return [];
      return [{ value: () => this.#emission.value(valid), open: withoutMet(left, set) }];
    });
  }

  /** One way for all values that meet the same clauses. */
  #waysOfValues(listed: readonly Json[], deciding: readonly Deciding[], left: Open): readonly Way[] {
    const valid = deciding.map(({ handle }) => new Set((finiteValues(handle) ?? []).map(canonicalText)));
    const groups = new Map<string, { readonly values: Json[]; readonly open: Open }>();
    for (const value of listed) {
      const open = withoutMet(
        left,
        deciding.filter((_, index) => valid[index]?.has(canonicalText(value))),
      );
      const group = groups.get(open.join()) ?? { values: [], open };
      group.values.push(value);
      groups.set(open.join(), group);
    }
    return [...groups.values()].map(({ values, open }) => ({ value: () => this.#listed(values), open }));
  }

  #listed(values: readonly Json[]): Expression {
    const emission = this.#emission;
    const choices = values.map((value) => ({
      value,
      key: `l${emission.shortName(JSON.stringify(value))}`,
      next: () => emission.expressions.empty,
    }));
    return literals(emission, `l${emission.shortName(JSON.stringify(values))}`, choices);
  }

  #clause(index: number): Clause {
    return this.#clauses[index] as Clause;
  }
}

function withoutMet(open: Open, met: readonly Deciding[]): Open {
  return open.filter((index) => !met.some(({ clause }) => clause === index));
}
