/** The summary of a decoder's file, which the engine reads before it makes a session of the file (`inspect.ts`). */

/** An input or output. A dimension without a fixed size is its symbol, or `?` if it has none. */
export interface ValueSummary {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/**
 * How a graph stores keys and values:
 * - `shared-cache`: GroupQueryAttention writes into a cache of fixed size, which a counter shortens;
 * - `growing-cache`: every step appends the new rows to the cache and returns all of it;
 * - `none`: there are no keys and values.
 */
export type CacheKind = "shared-cache" | "growing-cache" | "none";

export interface GraphSummary {
  /** Version of each operator set, by domain; ONNX's own domain is `""`. */
  readonly operatorSets: ReadonlyMap<string, number>;
  /** Number of nodes of each operator, nested graphs included. Operators of other domains have the domain in their name: `com.microsoft.MatMulNBits`. */
  readonly operators: ReadonlyMap<string, number>;
  readonly inputs: readonly ValueSummary[];
  readonly outputs: readonly ValueSummary[];
  readonly cache: CacheKind;
  /** Number of states of convolutions or recurrences, in addition to keys and values. */
  readonly states: number;
  /** Number of key/value heads; `headSize`: numbers per head. Null unless the file says them and all caches agree. */
  readonly keyValueHeads: number | null;
  readonly headSize: number | null;
  /** Number of tokens in the largest sliding window; null if some layer attends to all tokens, or if the graph has no GroupQueryAttention. */
  readonly slidingWindow: number | null;
  /** Whether the graph computes only the last token's logits, however many tokens it reads. */
  readonly lastLogitsOnly: boolean;
  /** See `rotaryNodes`; empty if the angles are in a table. */
  readonly rotaryNodes: readonly string[];
  /** Whether norms per head are inside GroupQueryAttention (its inputs 14 and 15), which runs only on WebGPU. */
  readonly normsInAttention: boolean;
  /** Whether inputs, outputs or weights are float16, for which WebGPU needs `shader-f16`. */
  readonly float16: boolean;
  /** Number of matrix products and embeddings with block-quantized weights. */
  readonly quantized: { readonly products: number; readonly embeddings: number };
  /** The external files that must be fetched with the graph, each with the number of bytes that the graph reads of it. */
  readonly externalFiles: ReadonlyMap<string, number>;
}
