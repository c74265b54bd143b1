/**
 * The contract between the two halves of the JSON Schema compiler: `normalize` turns a schema, whatever combinators it is
 * made of, into alternatives that speak of one type each; `emit` turns those into expressions. Types only.
 */

/** JSON, parsed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The values that are valid for at least one of the alternatives; none: nothing is valid. */
export type NormalSchema = readonly Alternative[];

/**
 * A conjunction of subschemas, some of them negated, not looked into yet: so that recursion ends. Two handles with one key
 * allow the same values. There are finitely many keys for a schema.
 */
export interface SchemaHandle {
  readonly key: string;
  /** Computed once, when first asked. Alternatives that no value can satisfy are left out, so an empty list means that nothing is valid. */
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

/** Exactly this value (const, enum): everything else that was asked of it holds. */
export interface LiteralAlternative {
  readonly type: "literal";
  readonly value: Json;
}
export interface NullAlternative {
  readonly type: "null";
}
/** Both. One of them alone is a literal. */
export interface BooleanAlternative {
  readonly type: "boolean";
}

export interface NumberAlternative {
  readonly type: "number";
  readonly integer: boolean;
  /** -Infinity where there is none. */
  readonly minimum: number;
  readonly exclusiveMinimum: boolean;
  /** Infinity where there is none. */
  readonly maximum: number;
  readonly exclusiveMaximum: boolean;
  /** A multiple of each of these. */
  readonly multipleOf: readonly number[];
  /** A multiple of none of these; 1 among them means: no integer. */
  readonly notMultipleOf: readonly number[];
  /** None of these values. */
  readonly except: readonly number[];
}

export interface StringAlternative {
  readonly type: "string";
  /** In code points. */
  readonly minLength: number;
  readonly maxLength: number;
  /** Matches all of these ECMA-262 patterns, unanchored as they stand. */
  readonly patterns: readonly string[];
  readonly notPatterns: readonly string[];
  /** Only known formats: an earlier step drops unknown formats, which are annotations. */
  readonly formats: readonly string[];
  readonly notFormats: readonly string[];
  readonly except: readonly string[];
}

export interface ArrayAlternative {
  readonly type: "array";
  /** Schema of item i, for the first ones. */
  readonly prefix: readonly SchemaHandle[];
  /** Schema of the items after them. */
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
   * All items differ. Where some values are too many to be listed: no contains, items that have one spelling, and some value
   * left at each place whatever the items before it are (unique-items.ts); otherwise refused before.
   */
  readonly unique: boolean;
  /** Makes the handle that asks for several at once. */
  readonly both: (handles: readonly SchemaHandle[]) => SchemaHandle;
}

/** Some values of a property, and the clauses that all of them meet: places in `clauses`. */
export interface PropertyWay {
  readonly values: SchemaHandle | readonly Json[];
  readonly meets: readonly number[];
}

/** At least one of its parts holds. No name is in two of them; all names are in `properties`. */
export type Clause = readonly {
  readonly name: string;
  /** The part holds where the property is absent. */
  readonly absent: boolean;
  /** The part holds where the property has a value that is valid for this. Null: not where the property is there. */
  readonly value: SchemaHandle | "any" | null;
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
  /** A string schema for all names (propertyNames); null where there is none. Names in `properties` were checked against it before. */
  readonly names: SchemaHandle | null;
  readonly minProperties: number;
  readonly maxProperties: number;
  /** All of them hold. */
  readonly clauses: readonly Clause[];
  /** The values of a declared property by the clauses that they meet; ways of handles may have no values, and may overlap. */
  readonly ways: (name: string) => readonly PropertyWay[];
  /** Makes the handle that asks for several at once. */
  readonly both: (handles: readonly SchemaHandle[]) => SchemaHandle;
}
