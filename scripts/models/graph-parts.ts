/** What a decoder's graph is gathered in while it is written: nodes, weights, and the external data that holds most of these. */
import type { AttributeValue } from "../../src/engine/onnx/make.ts";
import { externalTensor, makeNode, makeTensor } from "../../src/engine/onnx/make.ts";
import type { Node, Tensor } from "../../src/engine/onnx/model.ts";
import { elementType } from "../../src/engine/onnx/model.ts";
import type { DataFile } from "./data-file.ts";

const contrib = "com.microsoft";
const contribOperators = [
  "GroupQueryAttention",
  "SkipSimplifiedLayerNormalization",
  "MatMulNBits",
  "GatherBlockQuantized",
];

export class GraphParts {
  readonly nodes: Node[] = [];
  readonly weights: Tensor[] = [];
  readonly #constants = new Set<string>();
  readonly #data: DataFile;

  constructor(data: DataFile) {
    this.#data = data;
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

  /** A weight that lies in the external data. */
  external(name: string, type: number, dims: readonly number[], values: Float32Array | Uint8Array): string {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.weights.push(externalTensor(name, type, dims, this.#data.append(bytes)));
    return name;
  }
}
