/**
 * The logits of one step: read, edited by mods, sampled. Three kinds implement `EditableLogits`: `CpuLogits` has all logits in
 * this thread's memory; `GpuLogits` has a summary here, and asks the GPU for everything else; `PartialLogits` has the most likely
 * tokens that a server listed, and asks the server for everything else.
 */
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { WireTop } from "../../sdk/wire-event.ts";
import type { DeviceLogits } from "./device-logits.ts";
import type { ListedLogits } from "./listed-logits.ts";

/** Logits after some tokens, `(vocabulary)`, as a model computed them: in this thread's memory, not to be changed, or on a device. */
export type ComputedLogits = Float32Array | DeviceLogits;

/** Logits after some tokens: as a model computed them, or the most likely ones, as a server listed them. */
export type ModelLogits = ComputedLogits | ListedLogits;

export function isListed(row: ModelLogits): row is ListedLogits {
  return "nextLogprob" in row;
}

/** The settings of one draw. */
export interface DrawInput {
  readonly settings: SamplingSettings;
  readonly history: TokenHistory;
  /** Uniform in [0, 1). */
  readonly draw: number;
  /** The logits will be sampled both as mods left them and as the model gave them. */
  readonly isBoth: boolean;
}

export interface TokenLogprobs {
  /** According to the model's own logits. */
  readonly before: number;
  /** After the mods' edits. */
  readonly after: number;
}

/**
 * The logits of one step and their edits. A result that is known at once is a value; a result that a device must
 * compute is a promise, which rejects with a ForwardError if the device fails.
 */
export interface EditableLogits {
  /** The distribution of the model's logits. */
  readonly distribution: Distribution;
  /** The distribution after the mods' edits. */
  readonly distributionAfter: Distribution;
  /** A mod edited the logits. */
  readonly isEdited: boolean;
  /** All logits after the mods' edits; null if they lie on a device. The caller must not store or change them. */
  readonly logits: Float32Array | null;
  /** The most likely tokens after the mods' edits, with their log-probabilities. */
  topK(count: number): WireTop;
  /** Whether any token of the mask has a logit above -Infinity after the mods' edits. */
  canSample(mask: Uint32Array): boolean | Promise<boolean>;
  /**
   * Computes, in idle time, data that edits and sampling will need. `topK`: number of tokens that the mods usually read; 0
   * for none.
   */
  prepare(topK: number, settings: SamplingSettings): void;
  /**
   * Applies one edit to the row. `settings`: the settings with which the row will probably be sampled.
   * @throws InvalidActionError if the edit leaves no token to sample; the row is then unchanged.
   */
  edit(edit: Float32Array | SparseLogitsEdit, settings: SamplingSettings): void | Promise<void>;
  /** See Sampler. */
  sample(draw: DrawInput): TokenChoice | Promise<TokenChoice>;
  /** Like `sample`, from the model's own logits. */
  sampleUnedited(draw: DrawInput): TokenChoice | Promise<TokenChoice>;
  /** See Sampler. */
  choiceOf(
    token: TokenId,
    settings: SamplingSettings,
    history: TokenHistory,
  ): TokenChoice | Promise<TokenChoice>;
  /**
   * Like `choiceOf`, but lists no more tokens: the probability is a lower bound if the known tokens do not decide it. Absent if all
   * logits are known.
   */
  knownChoiceOf?(token: TokenId, settings: SamplingSettings, history: TokenHistory): Promise<TokenChoice>;
  logprobsOf(token: TokenId): TokenLogprobs | Promise<TokenLogprobs>;
  /** Why no token can be sampled from the model's own logits; null if a token can be sampled. */
  problem(): string | null | Promise<string | null>;
}

/** Makes the logits of each step of a request, which share memory for edits: only the logits made last may be edited. */
export interface LogitsFactory {
  /** The row as logits that mods edit. */
  of(row: ModelLogits): EditableLogits;
  /** The logits after the last token of a pass. */
  ofPass(pass: { readonly rows: readonly ModelLogits[] }): EditableLogits;
  /** Logits whose distribution is known already. */
  known(row: Float32Array, distribution: Distribution): EditableLogits;
  /** A factory with its own memory for edits: its logits may be edited beside those of this factory. */
  separate(): LogitsFactory;
  /** Releases the edits that lie on a device. */
  releaseEdited(): void;
}

export interface Distribution {
  /**
   * ln Σ exp(logit). A token's log-probability is its logit minus this number. Not finite if the row contains NaN or has no
   * finite value.
   */
  readonly logSumExp: number;
  /** Entropy of the whole distribution, in bits. */
  readonly entropy: number;
  /** The most likely tokens, sorted; among equal ones the lower id first. */
  readonly top: readonly { readonly token: TokenId; readonly logprob: number }[];
  readonly sums: LogitSums;
  /** Present if only some tokens are known: `entropy` is then a lower bound. */
  readonly partial?: PartOfDistribution;
}

/** Bounds for the part of a distribution that a server did not list. */
export interface PartOfDistribution {
  /** An upper bound for the probability of all unlisted tokens together. */
  readonly rest: number;
  /** An upper bound for the entropy, in bits. */
  readonly mostEntropy: number;
}

/** Sums from which a distribution is computed, over d = logit - `reference` of all tokens. No logit is above `reference`. */
export interface LogitSums {
  readonly reference: number;
  /** Σ exp(d) */
  readonly weight: number;
  /** Σ d·exp(d) */
  readonly weighted: number;
}

/** The tokens of the text so far, to which penalties apply. */
export interface TokenHistory {
  /** Prompt and output. */
  readonly tokens: readonly TokenId[];
  readonly promptLength: number;
}

export interface TokenChoice {
  readonly token: TokenId;
  /** The token's probability in the distribution that was sampled, after temperature and cut-offs. */
  readonly probability: number;
  /** The number of tokens that top-k, top-p and min-p leave. */
  readonly candidates: number;
  /** Present if the server drew the token with its own random numbers; absent if the sampler drew it. */
  readonly drawnBy?: "server";
}
