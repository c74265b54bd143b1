/**
 * Turns any JSON schema into alternatives of one type each. The schema is read and linked at once, and expanded when an
 * alternative is needed.
 */
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { ConstraintLimitError, StrategyError } from "../../strategy-error.ts";
import { EffortMeter } from "../effort.ts";
import type { Alternative, Json, NormalSchema, SchemaHandle } from "../normal-form.ts";
import { isValidFor } from "../read/evaluate.ts";
import { allTypes, canonicalText, type JsonObject, typeBits } from "../read/json-value.ts";
import { linkSchema } from "../read/link.ts";
import { refusal, SchemaDocument } from "../read/scan.ts";
import type { SchemaNode } from "../read/schema-node.ts";
import { forgetPatternMatchers } from "../scalars/string.ts";
import { ArrayShape } from "./array-shape.ts";
import type { ShapedType } from "./atoms.ts";
import { expandFormulas } from "./expand.ts";
import { mayBeRefused, mayBeTooComplex, reachable } from "./explore.ts";
import { formulaOf } from "./formula.ts";
import { Handle, type HandleTable, type SignedSchema } from "./handle.ts";
import { nameRanks } from "./members.ts";
import { ObjectShape } from "./object-shape.ts";
import { possibleAlternatives } from "./possible.ts";
import { NumberShape, StringShape } from "./scalar-shape.ts";
import type { Shape } from "./shape.ts";

/** The most conjunctions of schemas. */
const MOST_HANDLES = 20_000;
/** The most conjunctions that wait for each other while they are expanded. */
const DEEPEST = 200;

/** Units of effort. */
const HANDLE = 20;

/** Units of effort for examining schemas one by one before they are needed. */
const MOST_AHEAD = 1_000_000;

const shapedTypes: readonly ShapedType[] = ["number", "string", "array", "object"];

interface NormalizedSchema {
  readonly root: SchemaHandle;
  /** All schemas that may apply to a value or to a part of the value. */
  readonly nodes: readonly SchemaNode[];
}

/**
 * Normalizes a JSON schema of the draft that `$schema` declares, from 04 to 2020-12; without `$schema`, of 2020-12.
 * @throws StrategyError ("#/properties/age/minLength") for a malformed schema, or a keyword that cannot be enforced;
 * ConstraintLimitError
 */
export function normalizeSchema(schema: unknown): NormalizedSchema {
  forgetPatternMatchers();
  const schemas = new SchemaDocument(schema);
  const nodes = linkSchema(schemas, schemas.root);
  const normalizer = new Normalizer(schemas);
  const handle = normalizer.of(schemas.root);
  handle.normal();
  const isShared = mayBeRefused(nodes);
  if (isShared || mayBeTooComplex(nodes)) normalizer.lookAhead(handle, isShared);
  return { root: handle, nodes };
}

function asHandle(handle: SchemaHandle): Handle {
  if (handle instanceof Handle) return handle;
  throw new TypeError(`The handle ${handle.key} was not made by normalizeSchema.`);
}

/** Adds the schema's path to an error of a number or a string, which does not know its path. */
function refusalWithPath(error: unknown, { terms }: Handle): unknown {
  if (!(error instanceof StrategyError) || error.where !== "") return error;
  return refusal(terms[0]?.node.path ?? "#", error.reason);
}

/** Adds the schema's path to a limit. */
function limitWithPath(error: unknown, { terms }: Handle): unknown {
  if (!(error instanceof ConstraintLimitError) || error.where !== "") return error;
  return new ConstraintLimitError(error.reason, terms[0]?.node.path ?? "#");
}

class Normalizer implements HandleTable {
  readonly effort = new EffortMeter();
  readonly always: Handle;
  readonly never: Handle;
  readonly #schemas: SchemaDocument;
  readonly #handles = new Map<string, Handle>();
  /** The handles of single schemas and their opposites: by twice the schema's id, plus one for the schema itself. */
  readonly #singles: (Handle | undefined)[] = [];
  readonly #made = new Map<string, SchemaNode>();
  /** A schema for each type, of the schemas that ask for nothing but a type: all of these schemas share its handle. */
  readonly #typed = new Map<string, SchemaNode>();
  #depth = 0;
  #isLooking = false;

  constructor(schemas: SchemaDocument) {
    this.#schemas = schemas;
    this.always = this.#conjunction([]);
    this.never = new Handle("never", [], this);
    this.never.raw = [];
    this.never.possible = false;
  }

  of(node: SchemaNode): Handle {
    return this.#signed({ node, positive: true });
  }

  not(node: SchemaNode): Handle {
    return this.#signed({ node, positive: false });
  }

  #signed({ node, positive }: SignedSchema): Handle {
    const slot = node.id * 2 + (positive ? 1 : 0);
    const known = this.#singles[slot];
    if (known !== undefined) return known;
    const handle = this.#single({ node, positive });
    this.#singles[slot] = handle;
    return handle;
  }

  #single({ node, positive }: SignedSchema): Handle {
    if (node.always !== null) return node.always === positive ? this.always : this.never;
    // A schema that is nothing but a reference has the handle of the schema it leads to.
    const [target] = node.targets;
    if (target !== undefined && node.keywords === 1) return this.#signed({ node: target, positive });
    const isTypeAlone = node.keywords === 1 && node.types !== allTypes;
    if (!isTypeAlone) return this.#conjunction([{ node, positive }]);
    const key = `${node.types}${node.integer}`;
    return this.#conjunction([{ node: getOrCreate(this.#typed, key, () => node), positive }]);
  }

  both(list: readonly SchemaHandle[]): Handle {
    const different = [...new Set(list)].map(asHandle).filter((handle) => handle !== this.always);
    const [first = this.always] = different;
    if (different.length <= 1) return first;
    return different.includes(this.never)
      ? this.never
      : this.#conjunction(different.flatMap(({ terms }) => terms));
  }

  #conjunction(terms: readonly SignedSchema[]): Handle {
    const signed = new Map(terms.map((term) => [term.positive ? term.node.id : -term.node.id, term]));
    const ids = [...signed.keys()].sort((a, b) => a - b);
    if (ids.some((id) => id > 0 && signed.has(-id))) return this.never;
    const key = ids.join();
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    if (this.#handles.size >= MOST_HANDLES) {
      throw new ConstraintLimitError(
        `the schema's subschemas combine into more than ${MOST_HANDLES} schemas`,
      );
    }
    const handle = new Handle(key, [...signed.values()], this);
    this.#handles.set(key, handle);
    return handle;
  }

  unequal(value: Json, path: string): Handle {
    return this.not(this.#node(canonicalText(value), { const: value }, path));
  }

  matching(patterns: readonly string[], path: string): Handle {
    const schema = { anyOf: patterns.map((pattern) => ({ pattern })) };
    return this.of(this.#node(`patterns ${JSON.stringify(patterns)}`, schema, path));
  }

  #node(key: string, schema: JsonObject, path: string): SchemaNode {
    return getOrCreate(this.#made, key, () => {
      const node = this.#schemas.synthetic(schema, path);
      linkSchema(this.#schemas, node);
      return node;
    });
  }

  isValid(value: Json, handle: SchemaHandle): boolean {
    return (
      handle !== this.never &&
      asHandle(handle).terms.every(({ node, positive }) => isValidFor(node, value, this.effort) === positive)
    );
  }

  normal(handle: Handle): NormalSchema {
    if (handle.normalized !== undefined) return handle.normalized;
    if (!this.#isLooking) this.effort.renew();
    try {
      handle.normalized = possibleAlternatives(handle, (each) => this.raw(each));
    } catch (error) {
      throw limitWithPath(error, handle);
    }
    return handle.normalized;
  }

  /**
   * Looks ahead from the root. @param isShared all schemas share one effort; otherwise each may take as much as in the middle of
   * a text
   */
  lookAhead(root: Handle, isShared: boolean): void {
    let spent = 0;
    this.effort.renew();
    this.#isLooking = isShared;
    for (const handle of reachable(root)) {
      spent += this.effort.spent;
      if (!isShared && spent >= MOST_AHEAD) return;
      handle.normal();
    }
    this.#isLooking = false;
  }

  mayBePossible(handle: SchemaHandle): boolean {
    const { possible } = asHandle(handle);
    return possible ?? this.raw(handle)?.length !== 0;
  }

  raw(of: SchemaHandle): NormalSchema | null {
    const handle = asHandle(of);
    if (handle.raw !== undefined) return handle.raw;
    if (this.#depth >= DEEPEST) return null;
    handle.raw = null;
    this.#depth++;
    this.effort.spend(HANDLE);
    try {
      handle.raw = this.#alternatives(handle);
      return handle.raw;
    } catch (error) {
      handle.raw = undefined;
      throw refusalWithPath(error, handle);
    } finally {
      this.#depth--;
    }
  }

  #alternatives(handle: Handle): NormalSchema {
    const { terms } = handle;
    const found = new Alternatives((value) => this.isValid(value, handle));
    const listed = handle.listing?.values;
    if (listed) {
      found.values(listed);
      return found.all;
    }
    const types = terms.reduce(
      (bits, { node, positive }) => (positive && node.always === null ? bits & node.types : bits),
      allTypes,
    );
    if (types & typeBits.null && this.isValid(null, handle)) found.alternative({ type: "null" });
    if (types & typeBits.boolean) {
      const valid = [true, false].filter((value) => this.isValid(value, handle));
      if (valid.length === 2) found.alternative({ type: "boolean" });
      else found.values(valid);
    }
    for (const type of shapedTypes) {
      if ((types & typeBits[type]) === 0) continue;
      const formulas = terms.map((term) => formulaOf(term, type, this));
      expandFormulas(formulas, this.#shape(type, terms), this.effort, found);
    }
    return found.all;
  }

  #shape(type: ShapedType, terms: readonly SignedSchema[]): Shape {
    if (type === "number") return new NumberShape();
    if (type === "string") return new StringShape();
    if (type === "array") return new ArrayShape(this);
    let ranks: ReadonlyMap<string, number> | undefined;
    return new ObjectShape(this, () => {
      ranks ??= nameRanks(terms.map(({ node }) => node));
      return ranks;
    });
  }
}

/** Alternatives and values, each once. */
class Alternatives {
  readonly all: Alternative[] = [];
  readonly #texts = new Set<string>();
  /** The first alternative that is not a single value. Its key is made when there is a second one, which most schemas do not have. */
  #first: Alternative | null = null;
  readonly #keys = new Set<string>();
  readonly #isValid: (value: Json) => boolean;

  constructor(isValid: (value: Json) => boolean) {
    this.#isValid = isValid;
  }

  values(values: readonly Json[]): void {
    for (const value of values) {
      const text = canonicalText(value);
      if (this.#texts.has(text)) continue;
      this.#texts.add(text);
      if (this.#isValid(value)) this.all.push({ type: "literal", value });
    }
  }

  alternative(alternative: Alternative): void {
    if (this.#first === null) this.#first = alternative;
    else {
      if (this.#keys.size === 0) this.#keys.add(keyOf(this.#first));
      const key = keyOf(alternative);
      if (this.#keys.has(key)) return;
      this.#keys.add(key);
    }
    this.all.push(alternative);
  }
}

/** A key that is equal for equal alternatives; handles are compared by their keys. */
function keyOf(alternative: Alternative): string {
  return JSON.stringify(alternative, (_name, value: unknown) => {
    if (value instanceof Handle) return value.key;
    if (value instanceof Map || value instanceof Set) return [...value];
    return typeof value === "number" ? String(value) : value;
  });
}
