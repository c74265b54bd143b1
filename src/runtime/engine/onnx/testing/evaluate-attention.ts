/** Computes GroupQueryAttention over a text from its beginning, for `createGraphEvaluator`. */
import type { Node } from "../model.ts";
import { floatAttribute, integerAttribute } from "../tensor.ts";
import {
  type EvaluationState,
  inputRowsOf,
  normalizeRows,
  type Rows,
  sliceColumns,
} from "./evaluate-rows.ts";
import type { Rounding } from "./rounding.ts";

interface Heads {
  readonly headSize: number;
  /** Number of query heads for each head of keys and values. */
  readonly group: number;
  readonly scale: number;
  /** Size of the attention window in tokens; -1 for no limit. */
  readonly window: number;
}

export function evaluateAttention(node: Node, state: EvaluationState): Rows {
  const heads = integerAttribute(node, "num_heads", 1);
  const keyValueHeads = integerAttribute(node, "kv_num_heads", 1);
  const { queries, keys, values, headSize } = projections(node, state, heads, keyValueHeads);
  if (integerAttribute(node, "rotary_interleaved", 0) !== 0)
    throw new Error(`${node.name}: interleaved pairs.`);
  if (floatAttribute(node, "softcap", 0) !== 0) throw new Error(`${node.name}: a soft cap.`);
  const turned = integerAttribute(node, "do_rotary", 0) === 1 ? rotary(node, state, headSize) : same;
  const scale = floatAttribute(node, "scale", 0) || 1 / Math.sqrt(headSize);
  const window = integerAttribute(node, "local_window_size", -1);
  return mixed(turned(queries), turned(keys), values, state.rounding, {
    headSize,
    group: heads / keyValueHeads,
    scale,
    window,
  });
}

const same = (rows: Rows) => rows;

function projections(node: Node, state: EvaluationState, heads: number, keyValueHeads: number) {
  const first = inputRowsOf(node, 0, state);
  const isPacked = !node.input[1];
  const headSize = isPacked ? first.width / (heads + 2 * keyValueHeads) : first.width / heads;
  const [q, kv] = [heads * headSize, keyValueHeads * headSize];
  const apart = isPacked
    ? [sliceColumns(first, 0, q), sliceColumns(first, q, kv), sliceColumns(first, q + kv, kv)]
    : [first, inputRowsOf(node, 1, state), inputRowsOf(node, 2, state)];
  const [queries, keys, values] = apart as [Rows, Rows, Rows];
  return { queries: headNorm(queries, 14), keys: headNorm(keys, 15), values, headSize };

  function headNorm(rows: Rows, index: number): Rows {
    const name = node.input[index];
    if (!name) return rows;
    const epsilon = floatAttribute(node, "qk_norm_epsilon", 1e-6);
    const { data } = normalizeRows(rows.data, state.constantFloats(name), epsilon, state.rounding);
    return { width: rows.width, data };
  }
}

/** Rotates the pairs (i, i + half) of every head by the angles of the graph's tables. */
function rotary(node: Node, state: EvaluationState, headSize: number): (rows: Rows) => Rows {
  const [cos, sin] = [7, 8].map((index) => state.constantFloats(node.input[index] ?? ""));
  const half = headSize / 2;
  const { rounding } = state;
  return ({ width, data }) => {
    const numbers = data.map((value, i) => {
      const at = i % headSize;
      const place = Math.floor(i / width) * half + (at % half);
      const other = at < half ? -(data[i + half] as number) : (data[i - half] as number);
      const kept = rounding.number(value * (cos?.[place] as number));
      return rounding.number(kept + rounding.number(other * (sin?.[place] as number)));
    });
    return { width, data: numbers };
  };
}

function mixed(queries: Rows, keys: Rows, values: Rows, rounding: Rounding, heads: Heads): Rows {
  const { headSize, group, scale, window } = heads;
  const { width } = queries;
  const count = queries.data.length / width;
  const data = new Float64Array(count * width);
  for (let row = 0; row < count; row++) {
    const first = window > 0 ? Math.max(0, row - window + 1) : 0;
    for (let start = 0; start < width; start += headSize) {
      const from = Math.floor(start / headSize / group) * headSize;
      const query = queries.data.subarray(row * width + start, row * width + start + headSize);
      const weights = softmax(
        Array.from({ length: row - first + 1 }, (_, i) => {
          const at = (first + i) * keys.width + from;
          const key = keys.data.subarray(at, at + headSize);
          return rounding.number(scale * dot(query, key, rounding));
        }),
        rounding,
      );
      for (let i = 0; i < headSize; i++) {
        let sum = 0;
        for (const [place, weight] of weights.entries()) {
          const value = values.data[(first + place) * values.width + from + i] as number;
          sum = rounding.number(sum + rounding.number(weight * value));
        }
        data[row * width + start + i] = sum;
      }
    }
  }
  return { width, data };
}

function dot(a: Float64Array, b: Float64Array, rounding: Rounding): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++)
    sum = rounding.number(sum + rounding.number((a[i] as number) * (b[i] as number)));
  return sum;
}

function softmax(scores: readonly number[], rounding: Rounding): number[] {
  const largest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = scores.map((score) => rounding.number(Math.exp(rounding.number(score - largest))));
  const total = weights.reduce((sum, weight) => rounding.number(sum + weight), 0);
  return weights.map((weight) => rounding.number(weight / total));
}
