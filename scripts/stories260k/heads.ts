/**
 * Heads of 8, widened to the 16 that GroupQueryAttention asks for.
 *
 * Rotary embedding in the checkpoint turns neighbours (2j, 2j + 1); the operator, as exporters use it, turns
 * (j, j + half) of the wide head. So of each query and key head the even rows go to j and the odd ones to 8 + j,
 * and zeros fill the rest: zeros turn into zeros and add nothing to a dot product. Values are not turned: they keep
 * their order, zeros behind. The rotary tables have a column for each of the 8 pairs, of which the first 4 are used.
 */
import type { Checkpoint, CheckpointLayer } from "./checkpoint.ts";
import type { Matrix } from "./matrix.ts";
import { matrix, placeColumns, placeRows, stackRows } from "./matrix.ts";

export const widenedHeadSize = 16;

const rotaryTheta = 10_000;

/** Where row `row` of wq or wk goes. */
function turnedRow(row: number, headSize: number): number {
  const head = Math.floor(row / headSize);
  const within = row % headSize;
  return head * widenedHeadSize + (within % 2) * (widenedHeadSize / 2) + Math.floor(within / 2);
}

function plainRow(row: number, headSize: number): number {
  return Math.floor(row / headSize) * widenedHeadSize + (row % headSize);
}

/** Queries, keys and values in one matrix: ((heads + 2 kvHeads) × 16, dim). */
export function packedQkvProjection(checkpoint: Checkpoint, layer: CheckpointLayer): Matrix {
  const { dim, heads, kvHeads } = checkpoint;
  const size = dim / heads;
  const turned = (row: number) => turnedRow(row, size);
  return stackRows([
    placeRows(matrix(dim, dim, layer.wq), heads * widenedHeadSize, turned),
    placeRows(matrix(kvHeads * size, dim, layer.wk), kvHeads * widenedHeadSize, turned),
    placeRows(matrix(kvHeads * size, dim, layer.wv), kvHeads * widenedHeadSize, (row) => plainRow(row, size)),
  ]);
}

/** The attention's output matrix, with zero columns for the added width: (dim, heads × 16). */
export function outputProjection({ dim, heads }: Checkpoint, layer: CheckpointLayer): Matrix {
  return placeColumns(matrix(dim, dim, layer.wo), heads * widenedHeadSize, (column) =>
    plainRow(column, dim / heads),
  );
}

/** Cosines and sines of the rotary embedding, (positions, 8); the columns of the zeros hold angle 0. */
export function rotaryTables({ dim, heads, sequenceLength }: Checkpoint): {
  cos: Float32Array;
  sin: Float32Array;
} {
  const columns = widenedHeadSize / 2;
  const headSize = dim / heads;
  const cos = new Float32Array(sequenceLength * columns).fill(1);
  const sin = new Float32Array(sequenceLength * columns);
  for (let position = 0; position < sequenceLength; position++) {
    for (let pair = 0; pair < headSize / 2; pair++) {
      const angle = position * rotaryTheta ** ((-2 * pair) / headSize);
      cos[position * columns + pair] = Math.cos(angle);
      sin[position * columns + pair] = Math.sin(angle);
    }
  }
  return { cos, sin };
}
