/** The clauses of an object as it is written: which of them are open in a state, and what the value of a property says about them. */
import type { Expression } from "../../automaton/expression.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { hasCountBetween, possiblePropertyCounts } from "../meet-clauses.ts";
import type { Clause, Json, ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import type { Emission } from "./emission.ts";
import { valuesExpression } from "./emit-literal.ts";
import { allowsSomeValue } from "./emit-names.ts";

/** Places of clauses in the alternative that no property has met so far. */
export type OpenClauses = readonly number[];

/** Values of a property, and the clauses that are open behind them. Two ways may have values in common. */
interface Way {
  readonly value: () => Expression;
  readonly open: OpenClauses;
}

interface Property {
  readonly name: string;
  readonly handle: SchemaHandle;
  readonly isRequired: boolean;
}

/** The properties that may still be written. */
type Left = ReadonlyMap<string, Property>;

export class ObjectClauses {
  readonly #emission: Emission;
  readonly #alternative: ObjectAlternative;
  /** Equal for equal clauses. */
  readonly name: string;

  constructor(emission: Emission, alternative: ObjectAlternative) {
    this.#emission = emission;
    this.#alternative = alternative;
    const { clauses } = alternative;
    const parts = clauses.map((clause) =>
      clause.map(({ name, absent, value }) => [name, absent, value?.key]),
    );
    this.name = clauses.length === 0 ? "" : emission.shortName(`c${JSON.stringify(parts)}`);
  }

  get all(): OpenClauses {
    return [...this.#alternative.clauses.keys()];
  }

  /** The clauses that stay open if the properties whose names `isLeftOut` accepts are left out for good. */
  without(open: OpenClauses, isLeftOut: (name: string) => boolean): OpenClauses {
    return open.filter((index) => !this.#clause(index).some(({ name, absent }) => absent && isLeftOut(name)));
  }

  /** Whether the open clauses are met if no property of `left` is written, so that the object may end. */
  areMetWithout(open: OpenClauses, left: Left): boolean {
    return this.without(open, (name) => left.has(name)).length === 0;
  }

  /**
   * Whether the properties that may still be written can meet the open clauses, if from `min` to `max` names are to come.
   * @param others the number of undeclared names that may be among those names
   */
  canMeet(open: OpenClauses, left: Left, min: number, max: number, others: number): boolean {
    const { clauses, ways } = this.#alternative;
    const required = [...left.values()].filter(({ isRequired }) => isRequired).length;
    const least = min - others > required ? min - others : 0;
    const counts = possiblePropertyCounts({
      clauses,
      open,
      left: new Map(
        [...left].map(([name, { isRequired }]) => [name, { isRequired, ways: () => ways(name) }]),
      ),
      isCounted: least > 0 || max < Number.POSITIVE_INFINITY,
      isPossible: allowsSomeValue,
    });
    return hasCountBetween(counts, least, max);
  }

  /** The values of a property that is written, by the clauses that they meet. */
  ways({ name, handle }: Property, open: OpenClauses): readonly Way[] {
    const emission = this.#emission;
    if (!open.some((clause) => this.#clause(clause).some((part) => part.name === name)))
      return [{ value: () => emission.value(handle), open }];
    const groups = new Map<string, { readonly open: OpenClauses; schema?: SchemaHandle; values: Json[] }>();
    for (const { values, meets } of this.#alternative.ways(name)) {
      const after = open.filter((clause) => !meets.includes(clause));
      if ("key" in values && !allowsSomeValue(values)) continue;
      const group = getOrCreate(groups, after.join(), () => ({ open: after, values: [] }));
      // The first handle that leaves these clauses open allows all values of the later handles.
      if ("key" in values) group.schema ??= values;
      else group.values.push(...values);
    }
    return [...groups.values()].map(({ schema, values, open: after }) => ({
      value: () => this.#valueExpression(schema, values),
      open: after,
    }));
  }

  /** The values of the schema, and the listed ones. */
  #valueExpression(schema: SchemaHandle | undefined, values: readonly Json[]): Expression {
    const emission = this.#emission;
    const listed = valuesExpression(emission, JSON.stringify(values), values);
    return schema === undefined ? listed : emission.expressions.union(emission.value(schema), listed);
  }

  #clause(index: number): Clause {
    return this.#alternative.clauses[index] as Clause;
  }
}
