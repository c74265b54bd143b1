/** The port between the decode loop and whatever computes logits. */
import type { TokenId } from "../../sdk/request.ts";
import type { ListedLogits } from "./listed-logits.ts";
import type { ComputedLogits } from "./logits.ts";
import type { ModelLayers } from "./model-layers.ts";

/** The device memory of a KV cache. It grows in steps with the text. */
export interface CacheMemory {
  /** Now. */
  readonly bytes: number;
  /** Tokens that it has room for now. */
  readonly tokens: number;
  /** With room for `mostTokens`. */
  readonly mostBytes: number;
  readonly mostTokens: number;
}

/** `"mostLikely"`: one row after the most likely token of the last row, at the same temperature. */
export type ExpectedNext = "mostLikely";

/**
 * A causal language model that remembers what it has read, and can be set back.
 * Calls do not overlap: the caller awaits one `forward` before the next.
 */
export interface LanguageModel {
  /** Width of a row of logits. */
  readonly vocabularySize: number;
  /** The most tokens that the context may hold. */
  readonly capacity: number;
  /** Most tokens of a prompt to compute in one pass. A cancel waits for one pass at most: few where passes are slow. */
  readonly promptPassTokens: number;
  /**
   * Rows are log-probabilities: a server gives no logits. Both give the same tokens, except that a repetition penalty needs the
   * sign of a logit. Absent if rows are logits.
   */
  readonly givesLogprobs?: true | undefined;
  /** Each row of a pass costs a request to a server: the loop asks for the rows that a choice needs, and scores no forced tokens. */
  readonly hasCostlyRows?: true | undefined;
  /** Tokens that end a sequence. */
  readonly endOfSequence: readonly TokenId[];
  /** Tokens in the context. */
  readonly length: number;
  /** Bytes of the device's memory that it holds now, its KV cache included; absent if they are not known. */
  readonly memoryBytes?: number | undefined;
  /** Absent if the size is unknown. */
  readonly cacheMemory?: CacheMemory | undefined;
  /**
   * Appends `tokens` (one pass, whatever their number) and gives the logits of the last `rows` of them,
   * `(rows, vocabulary)`, row-major float32, oldest first. `rows` is 1 unless given, and at most `tokens.length`.
   * A model that only computes the last position answers one row whatever was asked. The array is the caller's.
   * @throws RangeError for no tokens, an id outside the vocabulary, or more tokens than the capacity holds; the model is as before.
   * @param signal ends a pass that waits for another machine: the model is as before. Models that compute here do not look at it.
   * @param ahead the most tokens that the caller may ask for after these, one by one; 0 unless given. A model on a server may compute
   *   its own guesses of them ahead. Nothing but time depends on it: `length` and every answer are the same, whatever is asked next.
   * @throws ModelDeadError when the runtime failed; every later call throws it too, until a new model is loaded.
   * @throws the signal's reason.
   */
  forward(
    tokens: readonly TokenId[],
    rows?: number,
    signal?: AbortSignal,
    ahead?: number,
  ): Promise<Float32Array>;
  /** Ends what the model computes ahead: the caller pauses, or its request is over. Absent if it computes nothing ahead. */
  rest?(): void;
  /**
   * As `forward`, for a model whose logits may stay where they are computed: a row that stays has a summary, with sums at
   * this temperature; a row that has none is given whole. Rows are the caller's, who lets go of each.
   * `next`: the pass that the caller expects to need next. The model may begin that pass before this pass has ended. Only time
   * depends on `next`: `length` and every result are the same without it, whichever pass follows.
   */
  forwardRows?(
    tokens: readonly TokenId[],
    rows: number,
    temperature: number,
    next?: ExpectedNext,
  ): Promise<readonly ComputedLogits[]>;
  /** How many of the most likely tokens a step lists; absent if rows are whole. With it, `forward` cannot be called. */
  readonly listedTokens?: number | undefined;
  /** The most that a step can list. There with `listedTokens`. */
  readonly mostListed?: number | undefined;
  /** As `forward`, for a model on a server: the `listed` most likely tokens of each row. There with `listedTokens`. */
  forwardListed?(
    tokens: readonly TokenId[],
    rows: number,
    listed: number,
    signal?: AbortSignal,
    ahead?: number,
  ): Promise<readonly ListedLogits[]>;
  /** Moves logits to where `forwardRows` leaves its logits. Returns them unchanged if they have no summary. */
  uploadRow?(logits: Float32Array, temperature: number): Promise<ComputedLogits>;
  /**
   * Like `forward`, for tokens whose logits nobody needs: no logits are read back. Resolves when the tokens are
   * computed. Absent if it would be no faster than `forward`.
   */
  append?(tokens: readonly TokenId[]): Promise<void>;
  /**
   * The cost of a pass of `tokens` tokens, in passes of one: 1 for 1. A model has this function if a few more tokens
   * in a pass are cheap and it gives logits for each, so that draft tokens may pay off (prompt-lookup.ts). The
   * function is constant for a kind of device: with a measured cost, the same request would not always have the same
   * passes.
   */
  readonly passCost?: ((tokens: number) => number) | undefined;
  /** `passCost` was not measured on this kind of device: draft tokens are used only if the request asks for them. */
  readonly isPassCostAssumed?: boolean | undefined;
  /**
   * Forgets all tokens after the first `length`. Costs nothing: the next `forward` undoes or recomputes what is
   * needed in its pass. @throws RangeError if the model holds fewer tokens.
   */
  truncate(length: number): void;
  /** Parts of texts that it remembers beside its context; absent if it cannot. */
  readonly segments?: CacheSegments | undefined;
  /** Reading and steering its passes from inside; absent if the model was not loaded for that. */
  readonly layers?: ModelLayers | undefined;
  dispose(): Promise<void>;
}

/** A copy of what a model remembers of some tokens of a text: those from place `from` up to, and without, place `to`. */
export interface CacheSegment {
  readonly from: number;
  readonly to: number;
  /** Bytes of the device's memory. */
  readonly bytes: number;
}

/**
 * Copies of parts of the KV cache. They survive changes of the context. The caller owns them and frees each. A part
 * is useful only together with the parts before it.
 */
export interface CacheSegments {
  /** The most bytes that `save` takes for these tokens. */
  bytesOf(from: number, to: number): number;
  /**
   * Copies what is remembered of the context's tokens from `from` to `to`; null if nothing of them is. It may end earlier than
   * asked, where the model holds less than its context (see `truncate`).
   * @throws RangeError when the memory is not there; nothing has changed.
   */
  save(from: number, to: number): Promise<CacheSegment | null>;
  /**
   * Makes `tokens` the context from saved segments, without computing the tokens.
   * @param segments cover the tokens: the first begins at 0, each later one begins inside the one before or at its end, and the last
   *   contains the last token. Where two overlap, the later one counts.
   * @throws RangeError if the segments do not cover the tokens; the model is unchanged then
   */
  restore(tokens: readonly TokenId[], segments: readonly CacheSegment[]): Promise<void>;
  free(segment: CacheSegment): void;
}

/** The runtime failed under a model: load it again. `cause` is the runtime's error. */
export class ModelDeadError extends Error {
  override readonly name = "ModelDeadError";
  /** Which fault of a model on a server; null for any other failure. */
  readonly code: UpstreamCode | null;

  constructor(message: string, options?: { readonly cause?: unknown; readonly code?: UpstreamCode }) {
    super(message, options);
    this.code = options?.code ?? null;
  }
}

/** Failures of a server that runs the model: it answered wrongly or broke off, or there was no answer to have. */
export type UpstreamCode = "upstream_failed" | "upstream_unavailable";
