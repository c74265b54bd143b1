/** Collects the nodes, the weights and the external data of a decoder's graph while it is written. */
import { float32ToFloat16 } from "../../src/runtime/engine/base/float16-arrays.ts";
import type { AttributeValue } from "../../src/runtime/engine/onnx/make.ts";
import { makeExternalTensor, makeNode, makeTensor } from "../../src/runtime/engine/onnx/make.ts";
import type { Node, Tensor } from "../../src/runtime/engine/onnx/model.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import type { TensorDataFile } from "./data-file.ts";

const contrib = "com.microsoft";
const contribOperators = [
  "GroupQueryAttention",
  "SkipSimplifiedLayerNormalization",
  "MatMulNBits",
  "GatherBlockQuantized",
];

/** float32 or float16, as ONNX element types. */
export type FloatType = typeof elementType.float | typeof elementType.float16;

export class DecoderGraphBuilder {
  readonly nodes: Node[] = [];
  readonly weights: Tensor[] = [];
  readonly #constants = new Set<string>();
  readonly #data: TensorDataFile;
  /** Element type of weights and activations. */
  readonly #floatType: FloatType;

  constructor(data: TensorDataFile, floatType: FloatType) {
    this.#data = data;
    this.#floatType = floatType;
  }

  /** Adds a node and returns the name of its first output. */
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

  /** An int64 constant, created once; the dims `[]` make a scalar. */
  constant(values: readonly number[], dims: readonly number[]): string {
    const name = `/model/constants/INT64/${JSON.stringify(dims.length === 0 ? values[0] : values)}`;
    if (!this.#constants.has(name)) {
      this.#constants.add(name);
      const value = makeTensor(name, elementType.int64, dims, BigInt64Array.from(values, BigInt));
      this.add("Constant", [], `${name}/Constant`, { value }, [name]);
    }
    return name;
  }

  /** A tensor whose bytes are in the external data. */
  externalBytes(name: string, dims: readonly number[], values: Uint8Array): string {
    this.weights.push(makeExternalTensor(name, elementType.uint8, dims, this.#data.append(values)));
    return name;
  }

  /** A tensor of the graph's float type whose numbers are in the external data. */
  externalFloats(name: string, dims: readonly number[], values: Float32Array): string {
    const place = this.#data.append(this.#bytesOf(values));
    this.weights.push(makeExternalTensor(name, this.#floatType, dims, place));
    return name;
  }

  /** A tensor of the graph's float type whose numbers are in the graph itself. */
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
