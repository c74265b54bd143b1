/**
 * The messages of an ONNX file, as far as Midtoken uses them. A field that is absent in the file is `undefined`. Unlisted
 * fields stay as raw bytes in `unknown`, and are written back.
 */

interface Message {
  /** Unlisted fields, each with its tag and value as in the file. */
  unknown?: Uint8Array[];
}

export interface StringEntry extends Message {
  key?: string;
  value?: string;
}

export interface OperatorSet extends Message {
  /** Absent or empty for ONNX's own operators. */
  domain?: string;
  version?: number;
}

export interface Tensor extends Message {
  dims: number[];
  /** One of `elementType`. */
  dataType?: number;
  /** Packed little-endian values, as in the file (a view). */
  floatData?: Uint8Array;
  /** Packed varints, as in the file (a view); also holds the smaller integers and float16. */
  int32Data?: Uint8Array;
  stringData: Uint8Array[];
  int64Data?: Uint8Array;
  name?: string;
  /** Little-endian values (a view of the file). */
  rawData?: Uint8Array;
  doubleData?: Uint8Array;
  uint64Data?: Uint8Array;
  docString?: string;
  /** Keys `location`, `offset`, `length`. */
  externalData: StringEntry[];
  /** 1 if the values are in another file. */
  dataLocation?: number;
}

export interface Dimension extends Message {
  value?: number;
  symbol?: string;
}

export interface Shape extends Message {
  dims: Dimension[];
}

export interface TensorType extends Message {
  elementType?: number;
  shape?: Shape;
}

export interface Type extends Message {
  tensor?: TensorType;
}

export interface ValueInfo extends Message {
  name?: string;
  type?: Type;
}

export interface Attribute extends Message {
  name?: string;
  f?: number;
  i?: bigint;
  s?: Uint8Array;
  t?: Tensor;
  g?: Graph;
  floats: number[];
  ints: bigint[];
  strings: Uint8Array[];
  tensors: Tensor[];
  graphs: Graph[];
  docString?: string;
  /** 1 float, 2 int, 3 string, 4 tensor, 5 graph, 6 floats, 7 ints, 8 strings. */
  type?: number;
}

export interface Node extends Message {
  /** Names of values; an empty name means that the input is omitted. */
  input: string[];
  output: string[];
  name?: string;
  operator?: string;
  attribute: Attribute[];
  docString?: string;
  domain?: string;
}

export interface Graph extends Message {
  node: Node[];
  name?: string;
  initializer: Tensor[];
  docString?: string;
  input: ValueInfo[];
  output: ValueInfo[];
  valueInfo: ValueInfo[];
}

export interface Model extends Message {
  irVersion?: number;
  producerName?: string;
  producerVersion?: string;
  domain?: string;
  modelVersion?: bigint;
  docString?: string;
  graph?: Graph;
  operatorSets: OperatorSet[];
  metadata: StringEntry[];
}

/** Element types by ONNX's numbers. */
export const elementType = {
  float: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  double: 11,
  bfloat16: 16,
  uint4: 21,
  int4: 22,
} as const;

/** Name of an element type for messages. */
export function elementTypeName(number: number | undefined): string {
  const entry = Object.entries(elementType).find(([, value]) => value === number);
  return entry ? entry[0] : `type ${number}`;
}
