/** Conjunctions of atoms about objects. */

import type { Clause, ObjectAlternative } from "../normal-form.ts";
import { matchesPattern } from "../scalars/scalars.ts";
import {
  type Atom,
  type Choice,
  type Formula,
  type ObjectAtom,
  or,
  type PropertyRules,
  refused,
  type SomePropertyAtom,
} from "./atoms.ts";
import { withClauses } from "./clauses.ts";
import { presentProperty } from "./formula-object.ts";
import type { Handle, HandleTable } from "./handle.ts";
import { canHaveMembers, mergeMembers } from "./members.ts";
import type { Shape } from "./shape.ts";

const infinity = Number.POSITIVE_INFINITY;

export class ObjectShape implements Shape {
  readonly #handles: HandleTable;
  readonly #ranks: () => ReadonlyMap<string, number>;
  #members: readonly PropertyRules[] = [];
  #required: ReadonlySet<string> = new Set();
  #forbidden: ReadonlySet<string> = new Set();
  #names: readonly Handle[] = [];
  #some: readonly SomePropertyAtom[] = [];
  #clauses: readonly Clause[] = [];
  #min = 0;
  #max = infinity;
  #alternative: ObjectAlternative | undefined;

  /** @param ranks the position of each name in the schema; called only if the atoms do not decide the order */
  constructor(handles: HandleTable, ranks: () => ReadonlyMap<string, number>) {
    this.#handles = handles;
    this.#ranks = ranks;
  }

  copy(): ObjectShape {
    const made = new ObjectShape(this.#handles, this.#ranks);
    made.#members = this.#members;
    made.#required = this.#required;
    made.#forbidden = this.#forbidden;
    made.#names = this.#names;
    made.#some = this.#some;
    made.#clauses = this.#clauses;
    made.#min = this.#min;
    made.#max = this.#max;
    made.#alternative = this.#alternative;
    return made;
  }

  add(added: Atom): boolean {
    const asked = added as ObjectAtom;
    if (this.entails(asked)) return true;
    this.#alternative = undefined;
    switch (asked.is) {
      case "members":
        this.#members = [...this.#members, asked];
        return true;
      case "required":
        this.#required = new Set([...this.#required, ...asked.names]);
        return !asked.names.some((name) => this.#forbidden.has(name)) && this.#required.size <= this.#max;
      case "forbidden":
        this.#forbidden = new Set([...this.#forbidden, asked.name]);
        return !this.#required.has(asked.name);
      case "count":
        this.#min = Math.max(this.#min, asked.min);
        this.#max = Math.min(this.#max, asked.max);
        return this.#min <= this.#max && this.#required.size <= this.#max;
      case "names":
        this.#names = [...this.#names, asked.names];
        return true;
      case "some":
        this.#some = [...this.#some, asked];
        return true;
    }
  }

  entails(added: Atom): boolean {
    const asked = added as ObjectAtom;
    switch (asked.is) {
      case "members":
        return this.#members.includes(asked);
      case "required":
        return asked.names.every((name) => this.#required.has(name));
      case "forbidden":
        return this.#forbidden.has(asked.name);
      case "count":
        return asked.min <= this.#min && asked.max >= this.#max;
      case "names":
        return this.#names.includes(asked.names);
      case "some":
        return this.#some.includes(asked);
    }
  }

  /**
   * Whether a required property has values that the formula does not allow: such a property usually distinguishes the
   * members of a union.
   */
  excludes(formula: Formula): boolean {
    const atoms = (formula.kind === "and" ? formula.parts : [formula])
      .filter((part) => part.kind === "atom")
      .map((part) => part.atom as ObjectAtom);
    const needed = atoms.flatMap((each) => (each.is === "required" ? each.names : []));
    return atoms.some(
      (each) =>
        each.is === "members" &&
        [...this.#required, ...needed].some((name) => this.#hasOtherValues(name, each.properties.get(name))),
    );
  }

  #hasOtherValues(name: string, other: Handle | undefined): boolean {
    const others = other?.listing?.keys;
    if (others === undefined) return false;
    return this.#members.some(({ properties }) => {
      const own = properties.get(name)?.listing?.keys;
      return own !== undefined && ![...others].some((key) => own.has(key));
    });
  }

  keepOpen(all: readonly Choice[]): readonly Choice[] {
    // If more properties are asked for than named, properties that a clause leaves out must be counted.
    if (this.#min > 0) return all;
    const { choices, clauses } = withClauses(
      { choices: all, clauses: this.#clauses },
      this.#members,
      this.#required,
      this.#handles,
    );
    if (choices.length < all.length) this.#alternative = undefined;
    this.#clauses = clauses;
    return choices;
  }

  isPossible(): boolean {
    const { effort } = this.#handles;
    return canHaveMembers(this.alternative(), (handle) => this.#handles.mayBePossible(handle), effort);
  }

  alternative(): ObjectAlternative {
    this.#alternative ??= mergeMembers(this.#handles, {
      members: this.#members,
      ranks: this.#ranks,
      required: this.#required,
      forbidden: this.#forbidden,
      names: this.#names,
      clauses: this.#clauses,
      min: this.#min,
      max: this.#max,
    });
    return this.#alternative;
  }

  /** Turns an atom "some property …" into a choice among the properties that it may be. */
  undecided(): Formula | null {
    const [asked, ...others] = this.#some;
    if (asked === undefined) return null;
    const { properties, patterns, additional } = this.alternative();
    const choices = [...properties.keys()]
      .filter((name) => this.#mayBe(asked, name))
      .map((name) => presentProperty(name, asked.value, this.#handles, asked.path));
    const isOpen =
      this.#handles.mayBePossible(additional) ||
      patterns.some(({ schema }) => this.#handles.mayBePossible(schema));
    this.#some = others;
    if (isOpen) choices.push(this.#undeclaredProperty(asked));
    return or(choices);
  }

  #mayBe({ except, pattern, notPatterns, names }: SomePropertyAtom, name: string): boolean {
    return (
      !except.has(name) &&
      (pattern === null || matchesPattern(pattern, name)) &&
      !notPatterns.some((each) => matchesPattern(each, name)) &&
      (names === null || this.#handles.isValid(name, names))
    );
  }

  /** The error for "some undeclared property", which the normal form cannot express. */
  #undeclaredProperty({ path }: SomePropertyAtom): Formula {
    return refused(
      path,
      'cannot be enforced where "not", "oneOf" or "if" negates the schema and other property names are allowed; remove the negation, or set additionalProperties to false',
    );
  }
}
