/** A question about the activations of a model at some places of a text, asked outside a request, and its answer. Plain data. */
import type { Steering } from "../../sdk/action.ts";
import type { LayerList } from "../../sdk/mod.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { WireTop } from "../../sdk/wire-event.ts";

/** Tokens of a text that were computed under the same vectors. */
export interface SteeredSpan {
  /** Places in the text: from `from` up to, and without, `to`. */
  readonly from: number;
  readonly to: number;
  readonly vectors: readonly Steering[];
  /** The vectors that replaced the residual stream after these layers at the last token of the span. Steering came first. */
  readonly patches: readonly { readonly layer: number; readonly vector: Float32Array }[];
}

export interface LayersQuery {
  /** The tokens that the model has read: prompt and output. */
  readonly tokens: readonly TokenId[];
  /** Spans of steered tokens, in the order of their places. Tokens outside every span were not steered. */
  readonly steered?: readonly SteeredSpan[] | undefined;
  /** Places in the text, ascending. The activations at a place predict the token after it. */
  readonly places: readonly number[];
  /** Layers whose hidden states are requested, as they were after steering. */
  readonly hidden?: LayerList | undefined;
  /** Layers whose lens is requested. */
  readonly lens?: LensQuery | undefined;
}

export interface LensQuery {
  readonly layers: LayerList;
  /** How many of the most likely tokens the lens of each layer lists. */
  readonly count: number;
  /** For each place, the token whose rank and probability are requested; null for none. */
  readonly tokens: readonly (TokenId | null)[];
}

export interface LayersReading {
  readonly layerCount: number;
  readonly hiddenSize: number;
  readonly places: readonly PlaceReading[];
}

export interface PlaceReading {
  readonly place: number;
  /** `(layers, hidden)` of the requested layers, in ascending order; null if none were requested. */
  readonly hidden: Float32Array | null;
  /** One entry for each requested layer, in ascending order. */
  readonly lens: readonly LayerSays[];
}

/**
 * The tokens that a layer would predict if it were the last: final norm and head applied to its hidden state
 * (nostalgebraist 2020, "interpreting GPT: the logit lens").
 */
export interface LayerSays {
  readonly layer: number;
  readonly top: WireTop;
  /** Bits, over the whole vocabulary. */
  readonly entropy: number;
  /** The token of `tokens` at this place. `rank`: how many tokens are more likely. */
  readonly token: { readonly rank: number; readonly logprob: number } | null;
}
