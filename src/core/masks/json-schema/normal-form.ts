/**
 * The contract between the two halves of the JSON Schema compiler: `normalize` turns a schema, whatever combinators it is
 * made of, into alternatives that speak of one type each; `emit` turns those into expressions. Types only.
 */

/** JSON, parsed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value is valid if at least one of the alternatives allows it. Without alternatives, no value is valid. */
export type NormalSchema = readonly Alternative[];

/**
 * Stands for a conjunction of subschemas, some of them negated. Its alternatives are computed when they are first needed, so a
 * recursive schema has handles that lead back to each other. Two handles with one key allow the same values. There are
 * finitely many keys for a schema.
 */
export interface SchemaHandle {
  readonly key: string;
  /** The alternatives, computed once, at the first call. Alternatives that no value can satisfy are left out, so an empty list means that no value is valid. */
  normal(): NormalSchema;
}

export type Alternative =
  | LiteralAlternative
  | NullAlternative
  | BooleanAlternative
  | NumberAlternative
  | StringAlternative
  | ArrayAlternative
  | ObjectAlternative;

/** Exactly this value (`const`, `enum`). The value satisfies all other keywords of the schema, too. */
export interface LiteralAlternative {
  readonly type: "literal";
  readonly value: Json;
}
export interface NullAlternative {
  readonly type: "null";
}
/** Allows true and false. If only one of them is allowed, the alternative is a literal. */
export interface BooleanAlternative {
  readonly type: "boolean";
}

export interface NumberAlternative {
  readonly type: "number";
  readonly integer: boolean;
  /** -Infinity if there is no minimum. */
  readonly minimum: number;
  readonly exclusiveMinimum: boolean;
  /** Infinity if there is no maximum. */
  readonly maximum: number;
  readonly exclusiveMaximum: boolean;
  /** The number is a multiple of each of these. */
  readonly multipleOf: readonly number[];
  /** The number is a multiple of none of these. For example, 1 excludes the integers. */
  readonly notMultipleOf: readonly number[];
  /** The number is none of these. */
  readonly except: readonly number[];
}

export interface StringAlternative {
  readonly type: "string";
  /** Lengths are in code points. */
  readonly minLength: number;
  readonly maxLength: number;
  /** The string contains a match of each of these ECMA-262 patterns. */
  readonly patterns: readonly string[];
  readonly notPatterns: readonly string[];
  /** Only known formats: an earlier step drops unknown formats, which are annotations. */
  readonly formats: readonly string[];
  readonly notFormats: readonly string[];
  readonly except: readonly string[];
}

export interface ArrayAlternative {
  readonly type: "array";
  /** The schemas of the first items. */
  readonly prefix: readonly SchemaHandle[];
  /** The schema of all items after the first ones. */
  readonly rest: SchemaHandle;
  readonly minItems: number;
  readonly maxItems: number;
  /** Each asks for `min` to `max` items that are valid for `items`. `others` allows exactly what `items` does not. */
  readonly contains: readonly {
    readonly items: SchemaHandle;
    readonly others: SchemaHandle;
    readonly min: number;
    readonly max: number;
  }[];
  /**
   * All items differ. If the values of an item are too many to list, unique-items.ts has made sure that there is no `contains`, that
   * each value has one spelling, and that a value is left at each place, whatever the items before it are.
   */
  readonly unique: boolean;
  /** The handle of the values that all of these handles allow. */
  readonly both: (handles: readonly SchemaHandle[]) => SchemaHandle;
}

/** Some values of a property, and the clauses that all of them meet: places in `clauses`. */
export interface PropertyWay {
  readonly values: SchemaHandle | readonly Json[];
  readonly meets: readonly number[];
}

/** A condition of which at least one part holds. Each part is about another property; all of them are in `properties`. */
export type Clause = readonly {
  readonly name: string;
  /** The part holds if the property is absent. */
  readonly absent: boolean;
  /** The part holds if the property has a value that is valid for this schema. Null: it does not hold if the property is there. */
  readonly value: SchemaHandle | null;
}[];

export interface ObjectAlternative {
  readonly type: "object";
  /** In the schema's order: members of `properties` first, then required names that are in none. A handle without alternatives forbids the property. */
  readonly properties: ReadonlyMap<string, SchemaHandle>;
  readonly required: ReadonlySet<string>;
  /** For names not in `properties`: the value has to be valid for the handles of all patterns that its name matches. */
  readonly patterns: readonly { readonly pattern: string; readonly schema: SchemaHandle }[];
  /** For the value of a name that is not in `properties` and matches no pattern. */
  readonly additional: SchemaHandle;
  /** A string schema for all names (propertyNames); null if all names are allowed. Names in `properties` were checked against it before. */
  readonly names: SchemaHandle | null;
  readonly minProperties: number;
  readonly maxProperties: number;
  /** All clauses hold. */
  readonly clauses: readonly Clause[];
  /** The values of a declared property by the clauses that they meet; ways of handles may have no values, and may overlap. */
  readonly ways: (name: string) => readonly PropertyWay[];
  /** The handle of the values that all of these handles allow. */
  readonly both: (handles: readonly SchemaHandle[]) => SchemaHandle;
}
