/** Types that the operators of `createGraphEvaluator` share: rows of numbers, and the state of a run. */

import type { ExternalData } from "../../base/weight-bytes.ts";
import type { ConstantLookup } from "../constants.ts";
import type { Node } from "../model.ts";
import type { Rounding } from "./rounding.ts";

/** Numbers of a text: one row of `width` numbers for each token, or for each head of each token. */
export interface Rows {
  readonly width: number;
  readonly data: Float64Array;
}

export interface BlockWeights {
  readonly rows: number;
  readonly columns: number;
  readonly blockSize: number;
  /** (rows, columns): level minus zero point, which are small whole numbers. */
  readonly levels: Float32Array;
  /** (rows, blocks) */
  readonly scales: Float32Array;
}

export interface EvaluationState {
  readonly external: ExternalData;
  readonly constant: ConstantLookup;
  readonly constantFloats: (name: string) => Float32Array;
  readonly weights: ReadonlyMap<Node, BlockWeights>;
  readonly tokens: readonly number[];
  readonly rounding: Rounding;
  readonly eightBits: boolean;
  readonly values: Map<string, Rows>;
}

/** The rows of a node's input. @throws Error if no node has computed them */
export function inputRowsOf(node: Node, index: number, { values }: EvaluationState): Rows {
  const rows = values.get(node.input[index] ?? "");
  if (!rows) throw new Error(`${node.name}: nothing is known of ${node.input[index]}.`);
  return rows;
}

/** `width` numbers of each row, beginning at column `from`. */
export function sliceColumns({ width: all, data }: Rows, from: number, width: number): Rows {
  const count = data.length / all;
  const numbers = new Float64Array(count * width);
  for (let row = 0; row < count; row++)
    numbers.set(data.subarray(row * all + from, row * all + from + width), row * width);
  return { width, data: numbers };
}

/** The root-mean-square norm of each row of `weight.length` numbers. */
export function normalizeRows(
  data: Float64Array,
  weight: Float32Array,
  epsilon: number,
  rounding: Rounding,
): Rows {
  const width = weight.length;
  const numbers = new Float64Array(data.length);
  for (let start = 0; start < data.length; start += width) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += (data[start + i] as number) ** 2;
    const scale = 1 / Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) {
      const scaled = rounding.number((data[start + i] as number) * scale);
      numbers[start + i] = rounding.number(scaled * (weight[i] as number));
    }
  }
  return { width, data: numbers };
}
