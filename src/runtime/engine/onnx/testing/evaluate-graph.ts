/**
 * Computes a decoder's 4-bit graph with plain loops in float64, as the reference for devices. It computes one text from its
 * beginning, without a cache, and supports the operators of the exporters' 4-bit graphs.
 */

import type { ExternalData } from "../../base/weight-bytes.ts";
import { parseModel } from "../codec.ts";
import { constantsOf } from "../constants.ts";
import type { Node } from "../model.ts";
import { findQuantizedNodes } from "../quantized-nodes.ts";
import { floatAttribute, tensorFloats, tensorIntegers } from "../tensor.ts";
import { evaluateAttention } from "./evaluate-attention.ts";
import { dequantizeForEvaluation, evaluateEmbedding, evaluateProduct } from "./evaluate-products.ts";
import {
  type BlockWeights,
  type EvaluationState,
  inputRowsOf,
  normalizeRows,
  type Rows,
  sliceColumns,
} from "./evaluate-rows.ts";
import { exactRounding, type Rounding } from "./rounding.ts";

export interface EvaluationOptions {
  readonly rounding?: Rounding;
  /** Whether products at accuracy level 4 round their activations to 8 bits, as WebGPU does on a device with subgroups. */
  readonly eightBits?: boolean;
}

export interface GraphEvaluator {
  /** All values that nodes compute for the text, by name; `logits` only for the last token. */
  run(tokens: readonly number[], evaluation?: EvaluationOptions): ReadonlyMap<string, Rows>;
}

/** @throws Error for an unsupported operator. */
export function createGraphEvaluator(bytes: Uint8Array, external: ExternalData): GraphEvaluator {
  const { graph } = parseModel(bytes);
  if (!graph) throw new Error("The model has no graph.");
  const constant = constantsOf(graph, external);
  const floats = new Map<string, Float32Array>();
  const weights = new Map<Node, BlockWeights>();
  for (const { node, found } of findQuantizedNodes(graph, constant)) {
    if (typeof found === "string") throw new Error(`${node.name} has ${found}.`);
    weights.set(node, dequantizeForEvaluation(found, external));
  }
  const constantFloats = (name: string) => {
    const tensor = constant(name);
    if (!tensor) throw new Error(`${name} is no constant.`);
    const known = floats.get(name) ?? tensorFloats(tensor, external);
    floats.set(name, known);
    return known;
  };
  return {
    run(tokens, { rounding = exactRounding, eightBits = false } = {}) {
      const values = new Map<string, Rows>();
      const state: EvaluationState = {
        external,
        constant,
        constantFloats,
        weights,
        tokens,
        rounding,
        eightBits,
        values,
      };
      for (const node of graph.node) evaluate(node, state);
      return values;
    },
  };
}

/**
 * Operators that compute integers from the text's length, which is known, and operators that only reshape. They are skipped.
 */
const ofLengths = new Set(["Shape", "Constant", "Gather", "ReduceSum", "Sub", "Cast"]);

type Operator = (node: Node, state: EvaluationState) => readonly (Rows | null)[];

const operators: Readonly<Record<string, Operator>> = {
  GatherBlockQuantized: (node, state) => [
    evaluateEmbedding(weightsOf(node, state), state.tokens, state.rounding),
  ],
  MatMulNBits: (node, state) => [
    evaluateProduct(node, inputRowsOf(node, 0, state), weightsOf(node, state), state),
  ],
  GroupQueryAttention: (node, state) => [evaluateAttention(node, state)],
  SimplifiedLayerNormalization: (node, state) => [norm(node, inputRowsOf(node, 0, state), 1, state)],
  SkipSimplifiedLayerNormalization: skipNorm,
  Sigmoid: (node, state) => [each(inputRowsOf(node, 0, state), state, (x) => 1 / (1 + Math.exp(-x)))],
  Gelu: (node, state) => [each(inputRowsOf(node, 0, state), state, fastGelu)],
  Mul: multiply,
  Reshape: reshape,
  Split: split,
  // Rows keep their layout: the operators that follow know the axes.
  Transpose: (node, state) => [inputRowsOf(node, 0, state)],
  CausalConvWithState: convolution,
};

function evaluate(node: Node, state: EvaluationState): void {
  const operator = node.operator ?? "";
  if (ofLengths.has(operator) || node.output.every((name) => state.constant(name))) return;
  const compute = operators[operator];
  if (!compute) throw new Error(`${node.name}: the operator ${operator} is not known here.`);
  for (const [i, rows] of compute(node, state).entries()) {
    if (rows) state.values.set(node.output[i] ?? "", rows);
  }
}

function weightsOf(node: Node, { weights }: EvaluationState): BlockWeights {
  return weights.get(node) as BlockWeights;
}

function each(
  { width, data }: Rows,
  { rounding }: EvaluationState,
  compute: (x: number, i: number) => number,
): Rows {
  return { width, data: data.map((x, i) => rounding.number(compute(x, i))) };
}

function fastGelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

function multiply(node: Node, state: EvaluationState): Rows[] {
  const names = node.input.slice(0, 2);
  const number = names.find((name) => state.constant(name));
  if (number === undefined) {
    const other = inputRowsOf(node, 1, state).data;
    return [each(inputRowsOf(node, 0, state), state, (x, i) => x * (other[i] as number))];
  }
  const [factor = 1] = state.constantFloats(number);
  return [each(inputRowsOf(node, names.indexOf(number) === 0 ? 1 : 0, state), state, (x) => x * factor)];
}

function reshape(node: Node, state: EvaluationState): Rows[] {
  const { data } = inputRowsOf(node, 0, state);
  const shape = state.constant(node.input[1] ?? "");
  const width = shape ? tensorIntegers(shape, state.external).at(-1) : undefined;
  if (width === undefined || width < 1) throw new Error(`${node.name} has no width.`);
  return [{ width, data }];
}

function split(node: Node, state: EvaluationState): Rows[] {
  const whole = inputRowsOf(node, 0, state);
  const sizes = state.constant(node.input[1] ?? "");
  if (!sizes) throw new Error(`${node.name} has no sizes.`);
  let from = 0;
  return tensorIntegers(sizes, state.external).map((width) => {
    const rows = sliceColumns(whole, from, width);
    from += width;
    return rows;
  });
}

/** Root-mean-square norm. The runtime computes its mean in float32, whatever the graph's type. */
function norm(node: Node, { data }: Rows, weightInput: number, state: EvaluationState): Rows {
  const weight = state.constantFloats(node.input[weightInput] ?? "");
  return normalizeRows(data, weight, floatAttribute(node, "epsilon", 0), state.rounding);
}

/** Adds the addition to the stream, and norms the sum. The sum is the fourth output. */
function skipNorm(node: Node, state: EvaluationState): (Rows | null)[] {
  const added = inputRowsOf(node, 1, state).data;
  const sum = each(inputRowsOf(node, 0, state), state, (x, i) => x + (added[i] as number));
  return [norm(node, sum, 2, state), null, null, sum];
}

/** A causal convolution of each channel over the token and those before it; weights are (channels, 1, taps). */
function convolution(node: Node, state: EvaluationState): Rows[] {
  const { width, data } = inputRowsOf(node, 0, state);
  const kernel = state.constantFloats(node.input[1] ?? "");
  const taps = kernel.length / width;
  const { rounding } = state;
  const numbers = data.map((_, i) => {
    const [row, channel] = [Math.floor(i / width), i % width];
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const from = row - (taps - 1 - tap);
      if (from < 0) continue;
      const value = (data[from * width + channel] as number) * (kernel[channel * taps + tap] as number);
      sum = rounding.number(sum + rounding.number(value));
    }
    return sum;
  });
  return [{ width, data: numbers }];
}
