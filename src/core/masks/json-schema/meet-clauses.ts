/**
 * Clauses of an object: choices about single properties that are left open, so that many of them are not multiplied out. For
 * example `dependentRequired: { a: ["b"] }` is one clause: a is absent, or b is present.
 */
import { ConstraintLimitError } from "../strategy-error.ts";
import type { Clause, SchemaHandle } from "./normal-form.ts";

/** Most decisions of one search. */
const MOST_DECISIONS = 20_000;

/** The properties that an object may still have. */
interface Properties {
  isRequired(name: string): boolean;
  /** Whether the property may be there with a value that is valid for all of these. */
  canBe(name: string, values: readonly SchemaHandle[]): boolean;
  /** Whether so many properties may be there besides the required ones, if so many others are left out. */
  canCount(added: number, leftOut: number): boolean;
}

/** Null: the property is absent. */
type Decision = readonly SchemaHandle[] | null;

/** Whether some object meets all clauses. @throws ConstraintLimitError when the search takes too long */
export function canMeet(clauses: readonly Clause[], properties: Properties): boolean {
  return new Search(clauses, properties).from(0);
}

class Search {
  readonly #clauses: readonly Clause[];
  readonly #properties: Properties;
  readonly #decided = new Map<string, Decision>();
  #added = 0;
  #leftOut = 0;
  #count = 0;

  constructor(clauses: readonly Clause[], properties: Properties) {
    this.#clauses = clauses;
    this.#properties = properties;
  }

  /** Decides the clauses from `index` on. Rather leaves a property out than adds it, and rather adds it than decides its value. */
  from(index: number): boolean {
    const clause = this.#clauses[index];
    if (clause === undefined) return true;
    if (this.#isMet(clause)) return this.from(index + 1);
    const isMetBy = (name: string, decision: Decision) => this.#try(name, decision, index);
    return (
      clause.some(({ name, absent }) => absent && isMetBy(name, null)) ||
      clause.some(({ name, value }) => value === "any" && isMetBy(name, [])) ||
      clause.some(({ name, value }) => value !== null && value !== "any" && isMetBy(name, [value]))
    );
  }

  #isMet(clause: Clause): boolean {
    return clause.some(({ name, absent, value }) => {
      const decision = this.#decided.get(name);
      if (decision === undefined) return false;
      if (decision === null || value === "any") return decision === null ? absent : true;
      return value !== null && decision.includes(value);
    });
  }

  #try(name: string, decision: Decision, index: number): boolean {
    this.#count++;
    if (this.#count > MOST_DECISIONS) {
      throw new ConstraintLimitError("the conditions of an object combine in too many ways");
    }
    const before = this.#decided.get(name);
    const after = before && decision ? [...before, ...decision] : decision;
    if (before !== undefined && (before === null) !== (decision === null)) return false;
    const isRequired = this.#properties.isRequired(name);
    if (after === null ? isRequired : !this.#properties.canBe(name, after)) return false;
    const isNew = before === undefined && !isRequired;
    this.#note(isNew, after, 1);
    this.#decided.set(name, after);
    if (this.#properties.canCount(this.#added, this.#leftOut) && this.from(index + 1)) return true;
    this.#note(isNew, after, -1);
    if (before === undefined) this.#decided.delete(name);
    else this.#decided.set(name, before);
    return false;
  }

  #note(isNew: boolean, decision: Decision, change: number): void {
    if (!isNew) return;
    if (decision === null) this.#leftOut += change;
    else this.#added += change;
  }
}
