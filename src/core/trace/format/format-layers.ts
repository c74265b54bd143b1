/**
 * What the layers of the model say at steps of a run (logit lens), computed after it and kept in its `.trace` file because
 * somebody asked for it. Never in a link. Part of `format.ts`.
 */

export interface TraceLayers {
  readonly layerCount: number;
  /** Numbers in a hidden state. */
  readonly hiddenSize: number;
  /** By `index` ascending; of one token the one that is not `isPlain` first, and each of the two at most once. */
  readonly steps: readonly TraceLayersStep[];
}

/** What was read at the token before an emitted one: where the model worked out what comes there. */
export interface TraceLayersStep {
  /** Index of the emitted token that came out there. */
  readonly index: number;
  /** True where the text was computed again without what steered it or was patched in, to be compared; false where as in the run. */
  readonly isPlain: boolean;
  /** Of the layers that were asked for, ascending. */
  readonly layers: readonly TraceLayerSays[];
  /** Null where they were not kept. */
  readonly hidden: TraceHidden | null;
}

/** What a layer would say if it were the last. */
export interface TraceLayerSays {
  /** Counted from 0. */
  readonly layer: number;
  /** Bits, over the whole vocabulary. Float32, as log-probabilities here are. */
  readonly entropy: number;
  /** Most likely first; at most `limits.lens`. */
  readonly top: readonly TraceLensToken[];
  /** Of the token that came out: how many tokens are likelier to this layer, and its log-probability. Null where unknown. */
  readonly token: { readonly rank: number; readonly logprob: number } | null;
}

/** As an alternative of a distribution. */
export interface TraceLensToken {
  readonly token: number;
  readonly text: string;
  readonly logprob: number;
}

/** Hidden states behind layers at one token. */
export interface TraceHidden {
  /** Ascending. */
  readonly layers: readonly number[];
  /**
   * `(layers, hiddenSize)` float32 numbers. Where all of a step are float16 numbers too (see `toFloat16`), a file holds them in two
   * bytes each.
   */
  readonly numbers: readonly number[];
}
