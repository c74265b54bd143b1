/**
 * The predictions of the model's layers at steps of a run (logit lens). They are computed after the run and saved in
 * its `.trace` file if somebody asked for them. Never in a link. Part of `format.ts`.
 */

export interface TraceLayers {
  readonly layerCount: number;
  /** Numbers in a hidden state. */
  readonly hiddenSize: number;
  /** By `index` ascending; of one token the one that is not `isPlain` first, and each of the two at most once. */
  readonly steps: readonly TraceLayersStep[];
}

/** The layers at the token before an emitted one: the place where the model predicts that token. */
export interface TraceLayersStep {
  /** Index of the emitted token that came out there. */
  readonly index: number;
  /** True where the text was computed again without what steered it or was patched in, to be compared; false where as in the run. */
  readonly isPlain: boolean;
  /** The layers that were asked for, in ascending order. */
  readonly layers: readonly TraceLayerSays[];
  /** Null if they were not saved. */
  readonly hidden: TraceHidden | null;
}

/** The prediction of a layer if it were the last. */
export interface TraceLayerSays {
  /** Counted from 0. */
  readonly layer: number;
  /** Bits, over the whole vocabulary. Float32, as log-probabilities here are. */
  readonly entropy: number;
  /** Most likely first; at most `limits.lens`. */
  readonly top: readonly TraceLensToken[];
  /** The token that came out: how many tokens this layer finds more likely, and its log-probability. Null if unknown. */
  readonly token: { readonly rank: number; readonly logprob: number } | null;
}

/** A token in the form of a distribution's alternative. */
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
