/**
 * The predictions of the model's layers at steps of a run (logit lens). They are computed after the run and saved in
 * its `.trace` file if somebody asked for them. Never in a link. Part of `format.ts`.
 */

export interface TraceLayers {
  readonly layerCount: number;
  /** Numbers in a hidden state. */
  readonly hiddenSize: number;
  /** In ascending order of `index`. If a token has two steps, the step with `isPlain` false comes first. */
  readonly steps: readonly TraceLayersStep[];
}

/** The layers at the token before an emitted one: the place where the model predicts that token. */
export interface TraceLayersStep {
  /** Index of the token that was emitted at this place. */
  readonly index: number;
  /** True if the text was computed again without steering and patches, for comparison; false if computed as in the run. */
  readonly isPlain: boolean;
  /** The layers that were asked for, in ascending order. */
  readonly layers: readonly TraceLayerSays[];
  /** The hidden states; null if they were not saved. */
  readonly hidden: TraceHiddenStates | null;
}

/** The prediction that the model would make if this layer were its last. */
export interface TraceLayerSays {
  /** Counted from 0. */
  readonly layer: number;
  /** Entropy in bits over the whole vocabulary. A float32 number, as the log-probabilities in this file are. */
  readonly entropy: number;
  /** Most likely first; at most `limits.lens`. */
  readonly top: readonly TraceLensToken[];
  /** How many tokens this layer finds more likely than the emitted token, and that token's log-probability. Null if unknown. */
  readonly token: { readonly rank: number; readonly logprob: number } | null;
}

/** A token of a layer's top-k list. */
export interface TraceLensToken {
  readonly token: number;
  readonly text: string;
  readonly logprob: number;
}

/** Hidden states after layers, at one token. */
export interface TraceHiddenStates {
  /** Layer numbers, ascending. */
  readonly layers: readonly number[];
  /**
   * `(layers, hiddenSize)` float32 numbers. If all numbers of a step are also float16 numbers (see `roundToFloat16`), a file holds
   * them in two bytes each.
   */
  readonly numbers: readonly number[];
}
