/** What a decoder's graph is gathered in while it is written: nodes, weights, and the external data that holds most of these. */
import { float32ToFloat16 } from "../../src/runtime/engine/base/float16.ts";
import type { AttributeValue } from "../../src/runtime/engine/onnx/make.ts";
import { externalTensor, makeNode, makeTensor } from "../../src/runtime/engine/onnx/make.ts";
import type { Node, Tensor } from "../../src/runtime/engine/onnx/model.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import type { DataFile } from "./data-file.ts";

const contrib = "com.microsoft";
const contribOperators = [
  "GroupQueryAttention",
  "SkipSimplifiedLayerNormalization",
  "MatMulNBits",
  "GatherBlockQuantized",
];

/** float32 or float16, as `elementType` has them. */
export type FloatType = typeof elementType.float | typeof elementType.float16;

export class GraphParts {
  readonly nodes: Node[] = [];
  readonly weights: Tensor[] = [];
  readonly #constants = new Set<string>();
  readonly #data: DataFile;
  /** Element type of weights and activations. */
  readonly #floatType: FloatType;

  constructor(data: DataFile, floatType: FloatType) {
    this.#data = data;
    this.#floatType = floatType;
  }

  /** Adds a node and gives the name of its first output. */
  add(
    operator: string,
    inputs: readonly string[],
    name: string,
    attributes: Record<string, AttributeValue> = {},
    outputs: readonly string[] = [`${name}/output_0`],
  ): string {
    const domain = contribOperators.includes(operator) ? { domain: contrib } : {};
    this.nodes.push(makeNode(operator, inputs, outputs, { name, attributes, ...domain }));
    return outputs[0] as string;
  }

  /** An int64 constant, made once; `[]` as dims is a scalar. */
  constant(values: readonly number[], dims: readonly number[]): string {
    const name = `/model/constants/INT64/${JSON.stringify(dims.length === 0 ? values[0] : values)}`;
    if (!this.#constants.has(name)) {
      this.#constants.add(name);
      const value = makeTensor(name, elementType.int64, dims, BigInt64Array.from(values, BigInt));
      this.add("Constant", [], `${name}/Constant`, { value }, [name]);
    }
    return name;
  }

  /** Bytes that lie in the external data. */
  externalBytes(name: string, dims: readonly number[], values: Uint8Array): string {
    this.weights.push(externalTensor(name, elementType.uint8, dims, this.#data.append(values)));
    return name;
  }

  /** Numbers of the graph's float type that lie in the external data. */
  externalFloats(name: string, dims: readonly number[], values: Float32Array): string {
    const place = this.#data.append(this.#bytesOf(values));
    this.weights.push(externalTensor(name, this.#floatType, dims, place));
    return name;
  }

  /** Numbers of the graph's float type within the graph. */
  floats(name: string, dims: readonly number[], values: Float32Array): string {
    this.weights.push(makeTensor(name, this.#floatType, dims, this.#bytesOf(values)));
    return name;
  }

  /** The numbers in the graph's float type. */
  #bytesOf(values: Float32Array): Uint8Array {
    const typed = this.#floatType === elementType.float16 ? float32ToFloat16(values) : values;
    return new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);
  }
}
