/** Computes products and embeddings with block-quantized weights, for `createGraphEvaluator`. */

import type { ExternalData } from "../../base/weight-bytes.ts";
import { type BlockQuantizedMatrix, dequantizeBlocks } from "../blocks.ts";
import type { Node } from "../model.ts";
import { integerAttribute, tensorFloats } from "../tensor.ts";
import type { BlockWeights, EvaluationState, Rows } from "./evaluate-rows.ts";
import type { Rounding } from "./rounding.ts";

/** The levels and the scales of a matrix, apart, so that the evaluator can round as a device does. */
export function dequantizeForEvaluation(matrix: BlockQuantizedMatrix, external: ExternalData): BlockWeights {
  const { rows, columns, blockSize } = matrix;
  const scales = tensorFloats(matrix.scales, external);
  const levels = new Float32Array(rows * columns);
  dequantizeBlocks(matrix, external, levels);
  const blocks = Math.ceil(columns / blockSize);
  for (let i = 0; i < levels.length; i++) {
    const block = Math.floor((i % columns) / blockSize);
    const scale = scales[Math.floor(i / columns) * blocks + block] as number;
    // The value is a whole number below 256 times the scale, in float32, so the quotient is that number except for its last
    // bits.
    levels[i] = scale === 0 ? 0 : Math.round((levels[i] as number) / scale);
  }
  return { rows, columns, blockSize, levels, scales };
}

export function evaluateEmbedding(
  weights: BlockWeights,
  tokens: readonly number[],
  rounding: Rounding,
): Rows {
  const { columns, blockSize, levels, scales } = weights;
  const blocks = Math.ceil(columns / blockSize);
  const data = new Float64Array(tokens.length * columns);
  for (const [row, token] of tokens.entries()) {
    for (let i = 0; i < columns; i++) {
      const scale = scales[token * blocks + Math.floor(i / blockSize)] as number;
      data[row * columns + i] = rounding.number((levels[token * columns + i] as number) * scale);
    }
  }
  return { width: columns, data };
}

/** Number of activations that share a scale when the runtime rounds them to 8 bits. */
export const eightBitBlock = 128;

/** Whether WebGPU rounds this product's activations to 8 bits at accuracy level 4: `CanApplyDP4AMatrixMatMulNBits` in the runtime. */
export function roundsActivationsOnWebGpu(node: Node): boolean {
  const [k, n] = [integerAttribute(node, "K", 0), integerAttribute(node, "N", 0)];
  return k % eightBitBlock === 0 && n % 16 === 0;
}

type ComputeRow = (activations: Float64Array) => Float64Array;

/** The product for all rows; for the logits, only for the last row. */
export function evaluateProduct(
  node: Node,
  given: Rows,
  weights: BlockWeights,
  state: EvaluationState,
): Rows {
  const isLogits = /lm_head/.test(node.name ?? "");
  const last = given.data.subarray(given.data.length - given.width);
  const data = isLogits ? last : given.data;
  const { rounding } = state;
  const compute: ComputeRow =
    state.eightBits && integerAttribute(node, "accuracy_level", 0) === 4 && roundsActivationsOnWebGpu(node)
      ? (activations) => rowInEightBits(activations, weights, rounding)
      : inFloats(weights, rounding);
  const count = data.length / given.width;
  const numbers = new Float64Array(count * weights.rows);
  for (let row = 0; row < count; row++) {
    const activations = data.subarray(row * given.width, (row + 1) * given.width);
    numbers.set(compute(activations), row * weights.rows);
  }
  return { width: weights.rows, data: numbers };
}

/** The weights as the device uses them, the same for every row of activations. */
function expanded(
  { rows, columns, blockSize, levels, scales }: BlockWeights,
  rounding: Rounding,
): Float64Array {
  const blocks = Math.ceil(columns / blockSize);
  const result = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < columns; i++) {
      const scale = scales[row * blocks + Math.floor(i / blockSize)] as number;
      result[row * columns + i] = rounding.number((levels[row * columns + i] as number) * scale);
    }
  }
  return result;
}

function inFloats(weights: BlockWeights, rounding: Rounding): ComputeRow {
  const { rows, columns } = weights;
  const numbers = expanded(weights, rounding);
  return (activations) => {
    const result = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      let sum = 0;
      for (let i = 0; i < columns; i++) {
        const term = (activations[i] as number) * (numbers[row * columns + i] as number);
        sum = rounding.number(sum + rounding.number(term));
      }
      result[row] = sum;
    }
    return result;
  };
}

/**
 * One row of the product with 8-bit activations: blocks of 128 whole numbers up to 127, each with a scale. Products of 32
 * numbers are summed exactly.
 */
function rowInEightBits(activations: Float64Array, weights: BlockWeights, rounding: Rounding): Float64Array {
  const { rows, columns, blockSize, levels, scales } = weights;
  const blocks = Math.ceil(columns / blockSize);
  const whole = new Float64Array(columns);
  const blockScales: number[] = [];
  for (let start = 0; start < columns; start += eightBitBlock) {
    const block = activations.subarray(start, start + eightBitBlock);
    const largest = block.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    blockScales.push(rounding.number(largest / 127));
    if (largest === 0) continue;
    block.forEach((x, i) => {
      whole[start + i] = rounding.integer(127 * rounding.number(x / largest));
    });
  }
  const result = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let start = 0; start < columns; start += 32) {
      let products = 0;
      for (let i = start; i < start + 32; i++)
        products += (whole[i] as number) * (levels[row * columns + i] as number);
      const scale = scales[row * blocks + Math.floor(start / blockSize)] as number;
      const both = rounding.number((blockScales[Math.floor(start / eightBitBlock)] as number) * scale);
      sum = rounding.number(sum + rounding.number(rounding.number(products) * both));
    }
    result[row] = sum;
  }
  return result;
}
