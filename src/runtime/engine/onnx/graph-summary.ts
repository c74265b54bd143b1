/** The summary of a decoder's file, which the engine reads before it makes a session of the file (`inspect.ts`). */

/** An input or output; a size that is not fixed is its symbol, or `?` without a symbol. */
export interface ValueSummary {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/**
 * How a graph keeps keys and values:
 * - `shared-cache`: GroupQueryAttention writes into a cache of fixed size, cut back by a counter;
 * - `growing-cache`: the cache is joined with the new rows at every step;
 * - `none`: there are no keys and values.
 */
export type CacheKind = "shared-cache" | "growing-cache" | "none";

export interface GraphSummary {
  /** Version by domain; ONNX's own domain is `""`. */
  readonly operatorSets: ReadonlyMap<string, number>;
  /** Number of nodes by operator, with the domain where it is not ONNX's own: `com.microsoft.MatMulNBits`. Inner graphs count. */
  readonly operators: ReadonlyMap<string, number>;
  readonly inputs: readonly ValueSummary[];
  readonly outputs: readonly ValueSummary[];
  readonly cache: CacheKind;
  /** States of convolutions or recurrences beside the keys and values. */
  readonly states: number;
  /** Key/value heads and head size, where all caches agree and the file says them. */
  readonly keyValueHeads: number | null;
  readonly headSize: number | null;
  /** Tokens that the widest sliding window sees; null if a layer sees all. */
  readonly slidingWindow: number | null;
  /** The graph computes the logits of the last token only, however many tokens it is given. */
  readonly lastLogitsOnly: boolean;
  /** See `rotaryNodes`; empty if the angles are in a table. */
  readonly rotaryNodes: readonly string[];
  /** Per-head norms inside GroupQueryAttention (its inputs 14 and 15): runs on WebGPU only. */
  readonly normsInAttention: boolean;
  /** Float16 inputs, outputs or weights: WebGPU needs `shader-f16`. */
  readonly float16: boolean;
  /** Products and embeddings on block-quantized weights. */
  readonly quantized: { readonly products: number; readonly embeddings: number };
  /** Bytes of external data that the graph reads, by file: the files to fetch with the graph. */
  readonly externalFiles: ReadonlyMap<string, number>;
}
