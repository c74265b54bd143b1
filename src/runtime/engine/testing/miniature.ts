/** Decoders with a few thousand random weights, of kinds that occur on the hub but that the bundled model is not. For tests. */
import { encodeModel } from "../onnx/codec.ts";
import { inspectGraph } from "../onnx/inspect.ts";
import {
  type AttributeValue,
  makeExternalTensor,
  makeFloatTensor,
  makeNode,
  makeTensor,
  makeValueInfo,
} from "../onnx/make.ts";
import { elementType, type Model, type Node, type Tensor, type ValueInfo } from "../onnx/model.ts";

export interface MiniatureModelOptions {
  /** Number of heads of keys and values, in a growing cache; 0 for no attention. */
  readonly heads: number;
  /** Whether it has a causal convolution and a recurrence, whose states are passed on. */
  readonly states?: boolean;
  /** Whether it has an input `position_ids`, or one with positions in time, height and width. By default it counts positions from the cache's length. */
  readonly positions?: boolean | "time, height and width";
  readonly rowsToKeep?: boolean;
  readonly integers?: "int64" | "int32";
  /** Number of files beside the graph for the weights. */
  readonly externalFiles?: number;
}

const vocabulary = 48;
const headSize = 8;
const width = 16;
const contextLength = 200;

/** The files of a miniature, in the form that a runner takes. */
export function createMiniatureModel(options: MiniatureModelOptions) {
  const draft = new Draft(options);
  draft.build();
  const model: Model = {
    irVersion: 10,
    operatorSets: [{ domain: "", version: 21 }],
    metadata: [],
    graph: {
      node: draft.nodes,
      name: "miniature",
      initializer: draft.weights,
      input: draft.inputs,
      output: draft.outputs,
      valueInfo: [],
    },
  };
  const externalData = new Map(
    draft.files.map((values, i) => [fileName(i), new Uint8Array(Float32Array.from(values).buffer)] as const),
  );
  const config = { vocab_size: vocabulary, max_position_embeddings: contextLength };
  const file = "onnx/model.onnx";
  return { graph: encodeModel(model), externalData, config, file, summary: inspectGraph(model) };
}

function fileName(index: number): string {
  return index === 0 ? "model.onnx_data" : `model.onnx_data_${index}`;
}

class Draft {
  readonly nodes: Node[] = [];
  readonly weights: Tensor[] = [];
  readonly inputs: ValueInfo[] = [];
  readonly outputs: ValueInfo[] = [];
  readonly files: number[][];
  readonly #options: MiniatureModelOptions;
  #made = 0;
  #random = 1;

  constructor(options: MiniatureModelOptions) {
    this.#options = options;
    this.files = Array.from({ length: options.externalFiles ?? 0 }, () => []);
  }

  build(): void {
    const { heads, states, rowsToKeep } = this.#options;
    const ids = this.#integers("input_ids", ["batch", "sequence"]);
    this.#integers("attention_mask", ["batch", "total"]);
    const table = this.#weight([vocabulary, width], 1);
    let stream = this.#add("Gather", [table, ids]);
    if (states) stream = this.#recurrence(this.#convolution(stream));
    if (heads > 0) stream = this.#attention(stream, heads);
    if (rowsToKeep) {
      const kept = this.#add("Neg", [this.#integers("num_logits_to_keep", [])]);
      const starts = this.#add("Reshape", [kept, this.#constant([1])]);
      stream = this.#add("Slice", [stream, starts, this.#constant([1 << 30]), this.#constant([1])]);
    }
    const rows = rowsToKeep ? "kept" : "sequence";
    const logits = this.#add("MatMul", [stream, this.#weight([width, vocabulary], 1)]);
    this.#output("logits", logits, ["batch", rows, vocabulary]);
  }

  /** A depthwise convolution over the token and the two before it. */
  #convolution(stream: string): string {
    const past = this.#input("past_conv.0", ["batch", width, 2]);
    const columns = this.#add("Transpose", [stream], { perm: [0n, 2n, 1n] });
    const joined = this.#add("Concat", [past, columns], { axis: 2n });
    this.#output("present_conv.0", this.#last(joined, 2, 2), ["batch", width, 2]);
    const kernel = this.#weight([width, 1, 3], 0.5);
    const made = this.#add("Conv", [joined, kernel], { group: BigInt(width) });
    return this.#add("Add", [stream, this.#add("Transpose", [made], { perm: [0n, 2n, 1n] })]);
  }

  /** The sum of all tokens so far, so every token keeps an effect. */
  #recurrence(stream: string): string {
    const past = this.#input("past_recurrent.0", ["batch", 1, width]);
    const sums = this.#add("CumSum", [stream, this.#scalar(1)]);
    const all = this.#add("Add", [sums, past]);
    this.#output("present_recurrent.0", this.#last(all, 1, 1), ["batch", 1, width]);
    return this.#add("Add", [stream, this.#add("Sin", [all])]);
  }

  /** Plain causal attention. Queries and keys have a sinusoid of the position. */
  #attention(stream: string, heads: number): string {
    const past = ["key", "value"].map((part) =>
      this.#input(`past_key_values.0.${part}`, ["batch", heads, "past", headSize]),
    );
    const before = this.#size(past[0] as string, 2);
    const total = this.#add("Add", [before, this.#size(stream, 1)]);
    const one = this.#scalar(1);
    const places = this.#places() ?? this.#add("Range", [before, total, one]);
    const column = this.#add("Unsqueeze", [places, this.#constant([1])]);
    const angles = this.#add("Mul", [this.#add("Cast", [column], { to: 1n }), this.#weight([width], 1)]);
    const placed = this.#add("Add", [stream, this.#add("Sin", [angles])]);
    const [query, key, value] = [placed, placed, stream].map((from) => this.#heads(from, heads));
    const [keys, values] = [key, value].map((rows, i) => {
      const joined = this.#add("Concat", [past[i] as string, rows as string], { axis: 2n });
      this.#output(`present.0.${["key", "value"][i]}`, joined, ["batch", heads, "total", headSize]);
      return joined;
    });
    const turned = this.#add("Transpose", [keys as string], { perm: [0n, 1n, 3n, 2n] });
    const scores = this.#add("MatMul", [query as string, turned]);
    const seen = this.#add("LessOrEqual", [this.#add("Range", [this.#scalar(0), total, one]), column]);
    const masked = this.#add("Where", [seen, scores, this.#number(-1e9)]);
    const shares = this.#add("Softmax", [masked], { axis: -1n });
    const mixed = this.#add("MatMul", [shares, values as string]);
    const rows = this.#add("Transpose", [mixed], { perm: [0n, 2n, 1n, 3n] });
    const flat = this.#add("Reshape", [rows, this.#constant([0, 0, heads * headSize])]);
    return this.#add("Add", [
      stream,
      this.#add("MatMul", [flat, this.#weight([heads * headSize, width], 1)]),
    ]);
  }

  /** The positions that the graph is given, one for each token; null if the graph counts them itself. */
  #places(): string | null {
    const { positions } = this.#options;
    if (!positions) return null;
    const flat = this.#constant([-1]);
    if (positions === true)
      return this.#add("Reshape", [this.#integers("position_ids", ["batch", "sequence"]), flat]);
    const all = this.#integers("position_ids", [3, "batch", "sequence"]);
    const [time, height, across] = [0, 1, 2].map((axis) =>
      this.#add("Reshape", [this.#add("Gather", [all, this.#scalar(axis)]), flat]),
    ) as [string, string, string];
    // For text, the three are equal, so time + height - across equals each of them.
    return this.#add("Sub", [this.#add("Add", [time, height]), across]);
  }

  #heads(stream: string, heads: number): string {
    const projected = this.#add("MatMul", [stream, this.#weight([width, heads * headSize], 0.5)]);
    const split = this.#add("Reshape", [projected, this.#constant([0, 0, heads, headSize])]);
    return this.#add("Transpose", [split], { perm: [0n, 2n, 1n, 3n] });
  }

  #size(value: string, axis: number): string {
    return this.#add("Gather", [this.#add("Shape", [value]), this.#scalar(axis)]);
  }

  #last(value: string, count: number, axis: number): string {
    return this.#add("Slice", [
      value,
      this.#constant([-count]),
      this.#constant([1 << 30]),
      this.#constant([axis]),
    ]);
  }

  #add(operator: string, inputs: readonly string[], attributes: Record<string, AttributeValue> = {}): string {
    const output = this.#name(operator);
    this.nodes.push(makeNode(operator, inputs, [output], { name: `${output}/node`, attributes }));
    return output;
  }

  #name(kind: string): string {
    this.#made += 1;
    return `${kind}_${this.#made}`;
  }

  /** An input of integers, as int64. */
  #integers(name: string, dims: readonly (string | number)[]): string {
    const type = this.#options.integers ?? "int64";
    this.inputs.push(makeValueInfo(name, elementType[type], dims));
    return type === "int64" ? name : this.#add("Cast", [name], { to: BigInt(elementType.int64) });
  }

  #input(name: string, dims: readonly (string | number)[]): string {
    this.inputs.push(makeValueInfo(name, elementType.float, dims));
    return name;
  }

  #output(name: string, value: string, dims: readonly (string | number)[]): void {
    this.nodes.push(makeNode("Identity", [value], [name], { name: `${name}/node` }));
    this.outputs.push(makeValueInfo(name, elementType.float, dims));
  }

  #constant(values: readonly number[], dims: readonly number[] = [values.length]): string {
    const name = this.#name("constant");
    this.weights.push(makeTensor(name, elementType.int64, dims, BigInt64Array.from(values, BigInt)));
    return name;
  }

  #scalar(value: number): string {
    return this.#constant([value], []);
  }

  #number(value: number): string {
    const name = this.#name("number");
    this.weights.push(makeFloatTensor(name, [], Float32Array.of(value)));
    return name;
  }

  /** Random weights, placed in the files in turn. */
  #weight(dims: readonly number[], scale: number): string {
    const name = this.#name("weight");
    const count = dims.reduce((product, size) => product * size, 1);
    const values = Float32Array.from({ length: count }, () => {
      this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
      return scale * (this.#random / 2 ** 31 - 1);
    });
    const index = this.#made % Math.max(1, this.files.length);
    const file = this.files[index];
    if (file) {
      const place = { location: fileName(index), offset: 4 * file.length, length: 4 * count };
      this.weights.push(makeExternalTensor(name, elementType.float, dims, place));
      file.push(...values);
    } else this.weights.push(makeFloatTensor(name, dims, values));
    return name;
  }
}
