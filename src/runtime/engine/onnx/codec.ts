/** Reads and writes the messages of `model.ts` with tables of their fields. */

import type { GraphLimits } from "./limits.ts";
import type {
  Attribute,
  Dimension,
  Graph,
  Model,
  Node,
  OperatorSet,
  Shape,
  StringEntry,
  Tensor,
  TensorType,
  Type,
  ValueInfo,
} from "./model.ts";
import { WireReader, WireWriter, wireTypes } from "./wire.ts";

type Scalar = "integer" | "bigint" | "float" | "string" | "bytes" | "packed";

interface Field {
  readonly number: number;
  readonly kind: Scalar | (() => Schema);
  readonly repeated: boolean;
}

/** The fields of a message by property name. They are written in this order, which is the order of their numbers. */
type Schema = Readonly<Record<string, Field>>;

/** A schema that has exactly the properties of a message. */
type SchemaOf<T> = { readonly [Key in Exclude<keyof Required<T>, "unknown">]: Field };

const one = (number: number, kind: Field["kind"]): Field => ({ number, kind, repeated: false });
const many = (number: number, kind: Field["kind"]): Field => ({ number, kind, repeated: true });

const stringEntry: SchemaOf<StringEntry> = { key: one(1, "string"), value: one(2, "string") };

const operatorSet: SchemaOf<OperatorSet> = { domain: one(1, "string"), version: one(2, "integer") };

const tensor: SchemaOf<Tensor> = {
  dims: many(1, "integer"),
  dataType: one(2, "integer"),
  floatData: one(4, "packed"),
  int32Data: one(5, "packed"),
  stringData: many(6, "bytes"),
  int64Data: one(7, "packed"),
  name: one(8, "string"),
  rawData: one(9, "bytes"),
  doubleData: one(10, "packed"),
  uint64Data: one(11, "packed"),
  docString: one(12, "string"),
  externalData: many(13, () => stringEntry),
  dataLocation: one(14, "integer"),
};

const dimension: SchemaOf<Dimension> = { value: one(1, "integer"), symbol: one(2, "string") };

const shape: SchemaOf<Shape> = { dims: many(1, () => dimension) };

const tensorType: SchemaOf<TensorType> = { elementType: one(1, "integer"), shape: one(2, () => shape) };

const type: SchemaOf<Type> = { tensor: one(1, () => tensorType) };

const valueInfo: SchemaOf<ValueInfo> = { name: one(1, "string"), type: one(2, () => type) };

const attribute: SchemaOf<Attribute> = {
  name: one(1, "string"),
  f: one(2, "float"),
  i: one(3, "bigint"),
  s: one(4, "bytes"),
  t: one(5, () => tensor),
  g: one(6, () => graph),
  floats: many(7, "float"),
  ints: many(8, "bigint"),
  strings: many(9, "bytes"),
  tensors: many(10, () => tensor),
  graphs: many(11, () => graph),
  docString: one(13, "string"),
  type: one(20, "integer"),
};

const node: SchemaOf<Node> = {
  input: many(1, "string"),
  output: many(2, "string"),
  name: one(3, "string"),
  operator: one(4, "string"),
  attribute: many(5, () => attribute),
  docString: one(6, "string"),
  domain: one(7, "string"),
};

const graph: SchemaOf<Graph> = {
  node: many(1, () => node),
  name: one(2, "string"),
  initializer: many(5, () => tensor),
  docString: one(10, "string"),
  input: many(11, () => valueInfo),
  output: many(12, () => valueInfo),
  valueInfo: many(13, () => valueInfo),
};

const model: SchemaOf<Model> = {
  irVersion: one(1, "integer"),
  producerName: one(2, "string"),
  producerVersion: one(3, "string"),
  domain: one(4, "string"),
  modelVersion: one(5, "bigint"),
  docString: one(6, "string"),
  graph: one(7, () => graph),
  operatorSets: many(8, () => operatorSet),
  metadata: many(14, () => stringEntry),
};

/**
 * The deepest nesting of messages. Graphs are nested inside attributes (If, Loop). Real files nest three graphs, and each
 * graph nests two or more messages.
 */
const deepest = 64;

type Values = Record<string, unknown>;

/**
 * Reads an ONNX file. Initializers are views of `bytes`, so the caller must not change `bytes`.
 * @throws OnnxFormatError if the bytes are not a complete ONNX model, or exceed the limits.
 */
export function parseModel(bytes: Uint8Array, limits?: GraphLimits): Model {
  const parsed = readMessage(new WireReader(bytes, 0, limits), model, 0) as unknown as Model;
  if (!parsed.graph) {
    new WireReader(bytes).fail("no graph (a model needs one)");
  }
  return parsed;
}

/**
 * Writes a model: fields in the order of their numbers, unlisted fields last. @throws RangeError if it has more than 2 GiB
 */
export function encodeModel(value: Model): Uint8Array<ArrayBuffer> {
  return writeMessage(value as unknown as Values, model).finish();
}

const byNumber = new WeakMap<Schema, Map<number, [string, Field]>>();

function fieldsByNumber(schema: Schema): Map<number, [string, Field]> {
  let fields = byNumber.get(schema);
  if (!fields) {
    fields = new Map(Object.entries(schema).map((entry) => [entry[1].number, entry]));
    byNumber.set(schema, fields);
  }
  return fields;
}

function readMessage(reader: WireReader, schema: Schema, depth: number): Values {
  reader.count();
  if (depth > deepest) reader.fail(`a message nested more than ${deepest} levels deep`);
  const fields = fieldsByNumber(schema);
  const values: Values = {};
  for (const name in schema) if (schema[name]?.repeated) values[name] = [];
  const unknown: Uint8Array[] = [];
  const loose = new Map<string, WireWriter>();
  while (!reader.done) {
    const start = reader.position;
    const tag = reader.length();
    const number = Math.floor(tag / 8);
    if (number === 0) reader.fail("the field number 0");
    const entry = fields.get(number);
    if (entry?.[1].kind === "packed" && tag % 8 !== wireTypes.bytes) {
      addTo(loose, entry[0], loneValue(reader, tag % 8));
    } else if (entry) {
      readField(reader, entry, tag % 8, values, depth);
    } else {
      reader.count();
      reader.skip(tag % 8);
      unknown.push(reader.bytes.subarray(start, reader.position));
    }
  }
  for (const [name, writer] of loose) {
    if (values[name] !== undefined) reader.fail(`the field "${name}" in both packed and unpacked form`);
    values[name] = writer.finish();
  }
  if (unknown.length > 0) values.unknown = unknown;
  return values;
}

function readField(
  reader: WireReader,
  [name, field]: [string, Field],
  type: number,
  values: Values,
  depth: number,
): void {
  if (field.repeated) {
    readRepeated(reader, field, type, values[name] as unknown[], depth);
    return;
  }
  if (values[name] !== undefined) reader.fail(`a second value of the field "${name}"`);
  values[name] = readValue(reader, field.kind, type, depth);
}

/** Only bytes are kept: an object for each value of a weight list would take a hundred times as much memory. */
function addTo(loose: Map<string, WireWriter>, name: string, value: Uint8Array): void {
  const writer = loose.get(name) ?? new WireWriter();
  loose.set(name, writer);
  writer.raw(value);
}

/** The bytes that a single, unpacked value of a repeated field would have in the packed form. */
function loneValue(reader: WireReader, type: number): Uint8Array {
  const start = reader.position;
  reader.skip(type);
  return reader.bytes.subarray(start, reader.position);
}

function readRepeated(reader: WireReader, field: Field, type: number, list: unknown[], depth: number): void {
  const { kind } = field;
  const isNumber = kind === "integer" || kind === "bigint" || kind === "float";
  if (!isNumber || type !== wireTypes.bytes) {
    // A message is counted when it is read; other values are counted here.
    if (typeof kind !== "function") reader.count();
    list.push(readValue(reader, kind, type, depth));
    return;
  }
  const packed = reader.inner();
  const each = kind === "float" ? wireTypes.fixed32 : wireTypes.varint;
  while (!packed.done) {
    reader.count();
    list.push(readValue(packed, kind, each, depth));
  }
}

const wireTypeOf: Record<Scalar, number> = {
  integer: wireTypes.varint,
  bigint: wireTypes.varint,
  float: wireTypes.fixed32,
  string: wireTypes.bytes,
  bytes: wireTypes.bytes,
  packed: wireTypes.bytes,
};

function readValue(reader: WireReader, kind: Field["kind"], type: number, depth: number): unknown {
  const expected = typeof kind === "function" ? wireTypes.bytes : wireTypeOf[kind];
  if (type !== expected) reader.fail(`the wire type ${type} instead of ${expected}`);
  if (typeof kind === "function") {
    return readMessage(reader.inner(), kind(), depth + 1);
  }
  switch (kind) {
    case "integer":
      return reader.integer();
    case "bigint":
      return reader.bigint();
    case "float":
      return reader.float();
    case "string":
      return reader.string();
    case "bytes":
    case "packed":
      return reader.span();
  }
}

function writeMessage(values: Values, schema: Schema): WireWriter {
  const writer = new WireWriter();
  for (const name in schema) {
    const field = schema[name];
    const value = values[name];
    if (!field || value === undefined) continue;
    for (const each of field.repeated ? (value as unknown[]) : [value]) writeValue(writer, field, each);
  }
  for (const raw of (values.unknown as Uint8Array[] | undefined) ?? []) writer.raw(raw);
  return writer;
}

function writeValue(writer: WireWriter, { number, kind }: Field, value: unknown): void {
  if (typeof kind === "function") {
    writer.tag(number, wireTypes.bytes);
    writer.message(writeMessage(value as Values, kind()));
    return;
  }
  writer.tag(number, wireTypeOf[kind]);
  if (kind === "integer") writer.varint(BigInt(value as number));
  else if (kind === "bigint") writer.varint(value as bigint);
  else if (kind === "float") writer.float(value as number);
  else if (kind === "string") writer.string(value as string);
  else writer.bytes(value as Uint8Array);
}
