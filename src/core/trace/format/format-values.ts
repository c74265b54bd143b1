/** The values inside records: tokens, probabilities, vectors, and the names of events and sources. Part of `format.ts`. */

/**
 * A token's id and text. `text` is the text that the token adds to the output: if a character is spread over several tokens,
 * the last token has the character. `token` is -1 if a link left the ids out.
 */
export interface TraceToken {
  readonly token: number;
  readonly text: string;
}

export interface TraceTopToken extends TraceToken {
  readonly logprob: number;
}

/** The probabilities of the next token at one step. */
export interface TraceDistribution {
  /** Entropy in bits, over the whole vocabulary; with `partial`, a lower bound of the entropy. */
  readonly entropy: number;
  /** Most likely first; at most `limits.alternatives`. */
  readonly top: readonly TraceTopToken[];
  /** Present if only some tokens are known: the model ran on a server that lists the most likely tokens. */
  readonly partial?: TraceUnlistedBounds;
}

/** Bounds for the tokens that a server did not list. */
export interface TraceUnlistedBounds {
  /** Upper bound of the probability that the unlisted tokens have together. */
  readonly rest: number;
  /** Upper bound of the entropy, in bits. */
  readonly mostEntropy: number;
}

/** The most likely tokens of one step, as a mod reads them. */
export interface TraceTopK {
  /** The length of the list that the mod asked for. If `tokens` is shorter, all other logits were -Infinity. */
  readonly asked: number;
  /** Token ids, most likely first; of equally likely tokens, the lower id first. At most `limits.topK`. */
  readonly tokens: readonly number[];
  /** Log-probability of each token over the whole vocabulary. Float32, as mods read it. */
  readonly logprobs: readonly number[];
}

/** The result of `event.score`: how likely the model finds some continuations of the output. */
export interface TraceScores {
  /** The log-probability of each continuation, in the order asked. Float32, as mods read them. */
  readonly logprobs: readonly number[];
  /** Forward passes that the scores took. `usage.forwardPasses` does not count them. */
  readonly passes: number;
  /** 32-bit digest of the continuations' tokens. A replay compares it with the continuations that the mod asks about then. */
  readonly digest: number;
}

export const eventTypes = [
  "prefilled",
  "forwardPass",
  "sampled",
  "added",
  "backtracked",
  "finished",
] as const;

export type TraceEventType = (typeof eventTypes)[number];

export const tokenSources = ["sampled", "forced", "reinjected"] as const;

/** How tokens came into the output: chosen by the sampler, forced by a mod, or put by a mod in the place of removed tokens. */
export type TraceTokenSource = (typeof tokenSources)[number];

/** A vector that a mod added to the residual stream (`steer`), or put in the place of a layer's output (`patch`). */
export interface TraceVector {
  /** 32-bit digest of the numbers. Equal digests mean equal vectors. */
  readonly digest: number;
  /** The vector's length (the square root of the sum of squares). */
  readonly norm: number;
  /**
   * The vector's float32 numbers, at the first vector of the trace with this digest. Null at later ones, once the
   * trace has `limits.vectorNumbers` numbers, and if a link left them out.
   */
  readonly numbers: readonly number[] | null;
}

export interface TraceSteering {
  readonly layer: number;
  readonly scale: number;
  readonly vector: TraceVector;
}
