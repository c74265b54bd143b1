/** Functions that make parts of graphs, for code that writes or rewrites graphs. */
import type { Attribute, Dimension, Node, Tensor, ValueInfo } from "./model.ts";
import { elementType } from "./model.ts";

/** An attribute's value: a bigint becomes an integer, a number a float, a list of bigints integers. */
export type AttributeValue = bigint | number | string | readonly bigint[] | Tensor;

export interface NodeOptions {
  readonly name: string;
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** A node. An empty input name means that the input is omitted. */
export function makeNode(
  operator: string,
  input: readonly string[],
  output: readonly string[],
  { name, domain, attributes = {} }: NodeOptions,
): Node {
  const attribute = Object.entries(attributes).map(([key, value]) => makeAttribute(key, value));
  const node: Node = { input: [...input], output: [...output], name, operator, attribute };
  if (domain) node.domain = domain;
  return node;
}

function makeAttribute(name: string, value: AttributeValue): Attribute {
  const empty: Attribute = { name, floats: [], ints: [], strings: [], tensors: [], graphs: [] };
  if (typeof value === "bigint") return { ...empty, i: value, type: 2 };
  if (typeof value === "number") return { ...empty, f: value, type: 1 };
  if (typeof value === "string") return { ...empty, s: new TextEncoder().encode(value), type: 3 };
  if ("dims" in value) return { ...empty, t: value, type: 4 };
  return { ...empty, ints: [...value], type: 7 };
}

/** A tensor that uses `data`'s bytes without copying them. */
export function makeTensor(
  name: string,
  type: number,
  dims: readonly number[],
  data: Float32Array | Uint8Array | BigInt64Array,
): Tensor {
  return {
    dims: [...dims],
    dataType: type,
    stringData: [],
    name,
    rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    externalData: [],
  };
}

/** A float32 tensor. */
export function makeFloatTensor(name: string, dims: readonly number[], data: Float32Array): Tensor {
  return makeTensor(name, elementType.float, dims, data);
}

/** A tensor whose values are in another file. */
export function makeExternalTensor(
  name: string,
  type: number,
  dims: readonly number[],
  place: { readonly location: string; readonly offset: number; readonly length: number },
): Tensor {
  const externalData = [
    { key: "location", value: place.location },
    { key: "offset", value: String(place.offset) },
    { key: "length", value: String(place.length) },
  ];
  return {
    dims: [...dims],
    dataType: type,
    stringData: [],
    name,
    externalData,
    dataLocation: 1,
  };
}

/** A graph's input or output. A text in `dims` is a symbolic dimension. */
export function makeValueInfo(name: string, type: number, dims: readonly (number | string)[]): ValueInfo {
  const shape: Dimension[] = dims.map((dim) => (typeof dim === "number" ? { value: dim } : { symbol: dim }));
  return { name, type: { tensor: { elementType: type, shape: { dims: shape } } } };
}
