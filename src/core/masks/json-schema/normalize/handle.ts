/** A handle identifies a conjunction of schemas, some of them negated; its key is the name of the conjunction. */
import type { EffortMeter } from "../effort.ts";
import type { Json, NormalSchema, SchemaHandle } from "../normal-form.ts";
import { type SchemaNode, withSchemasInPlace } from "../read/schema-node.ts";

/** A schema, or the opposite of one. */
export interface SignedSchema {
  readonly node: SchemaNode;
  readonly positive: boolean;
}

/** The table that makes handles and answers questions about them. */
export interface HandleTable {
  readonly effort: EffortMeter;
  /** Allows everything. */
  readonly always: Handle;
  /** Allows nothing. */
  readonly never: Handle;
  of(node: SchemaNode): Handle;
  /** The values that are not valid for the schema. */
  not(node: SchemaNode): Handle;
  /** The values that all of these handles allow; `always` for none. */
  both(handles: readonly SchemaHandle[]): Handle;
  /** All values but this one. `path`: the path of the schema that excludes it. */
  unequal(value: Json, path: string): Handle;
  /** The strings that match one of these patterns, and all values of other types. */
  matching(patterns: readonly string[], path: string): Handle;
  /** False if no value is valid; true if a value may be valid. */
  mayBePossible(handle: SchemaHandle): boolean;
  /**
   * The alternatives, including alternatives that recursion makes impossible; possible.ts removes them. Null while they are being
   * computed, or if too many handles wait for each other.
   */
  raw(handle: SchemaHandle): NormalSchema | null;
  isValid(value: Json, handle: SchemaHandle): boolean;
}

export class Handle implements SchemaHandle {
  /** Computed once; null while it is being computed. */
  raw: NormalSchema | null | undefined;
  /** Whether some value is valid; undefined until this is certain. */
  possible: boolean | undefined;
  normalized: NormalSchema | undefined;

  constructor(
    readonly key: string,
    readonly terms: readonly SignedSchema[],
    readonly table: HandleTable & { normal(handle: Handle): NormalSchema },
  ) {}

  normal(): NormalSchema {
    return this.table.normal(this);
  }

  /** The schema with the list of the only values that can be valid (`enum`, `const`); null if there is none. */
  get listing(): SchemaNode | null {
    return this.terms.find(({ node, positive }) => positive && node.values !== null)?.node ?? null;
  }
}

/** The first schema for which this holds, of the schemas that apply to the same value; null if there is none. */
export function findNode(handle: SchemaHandle, holds: (node: SchemaNode) => boolean): SchemaNode | null {
  const nodes = handle instanceof Handle ? handle.terms.map(({ node }) => node) : [];
  for (const node of withSchemasInPlace(nodes)) if (holds(node)) return node;
  return null;
}
