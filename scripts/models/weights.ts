/** Sources of a graph's weights: random numbers, or a real model. */
import { type Matrix, matrix } from "../stories260k/matrix.ts";

/** Gives the weights by their names in the graph: `model.layers.0.attn.qkv_proj`, `lm_head`, `model.layers.0.input_layernorm`. */
export interface WeightSource {
  /** A matrix as (outputs, inputs). `lm_head` is also the embedding. */
  matrix(name: string, rows: number, columns: number): Matrix;
  /** The weights of a norm. */
  norm(name: string, length: number): Float32Array;
}

/**
 * Weights that depend only on the seed and on their names: evenly distributed, with a variance that preserves the size of
 * activations. So every layer matters, and no logit is far from the others.
 */
export function randomWeights(seed: number): WeightSource {
  return {
    matrix(name, rows, columns) {
      const random = randomOf(seed, name);
      const widest = Math.sqrt(3 / columns);
      const values = new Float32Array(rows * columns);
      for (let i = 0; i < values.length; i++) values[i] = (2 * random() - 1) * widest;
      return matrix(rows, columns, values);
    },
    norm(name, length) {
      const random = randomOf(seed, name);
      return Float32Array.from({ length }, () => 0.5 + random());
    },
  };
}

/** Numbers from 0 to 1 by Tommy Ettinger's mulberry32, seeded with an FNV-1a hash of the name. */
function randomOf(seed: number, name: string): () => number {
  let state = 0x811c9dc5 ^ seed;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
