/** The port between the decode loop and a model: ONNX Runtime, a server, or a scripted model in tests. */
import type { TokenId } from "../../sdk/request.ts";
import type { ListedLogits, ServerDraw, ServerDrawing } from "./listed-logits.ts";
import type { ComputedLogits } from "./logits.ts";
import type { ModelLayers } from "./model-layers.ts";

/** The device memory of a KV cache. The memory grows in steps with the text. */
export interface CacheMemory {
  /** The present size in bytes. */
  readonly bytes: number;
  /** The number of tokens that fit without growing. */
  readonly tokens: number;
  /** The size in bytes with room for `mostTokens`. */
  readonly mostBytes: number;
  readonly mostTokens: number;
}

/** `"mostLikely"`: one row after the most likely token of the last row, at the same temperature. */
export type ExpectedNext = "mostLikely";

/**
 * A causal language model that caches the text that it has read, and can cut this text. Calls do not overlap: the caller
 * awaits one `forward` before the next.
 */
export interface LanguageModel {
  /** Width of a row of logits. */
  readonly vocabularySize: number;
  /** The most tokens that the context may hold. */
  readonly capacity: number;
  /**
   * The most tokens of a prompt to compute in one pass. A cancel waits for at most one pass, so the number is small if
   * passes are slow.
   */
  readonly promptPassTokens: number;
  /**
   * Rows are log-probabilities: a server gives no logits. Both give the same tokens, except that a repetition penalty needs the
   * sign of a logit. Absent if rows are logits.
   */
  readonly returnsLogprobs?: true | undefined;
  /** Each row of a pass costs a request to a server: the loop asks for the rows that a choice needs, and scores no forced tokens. */
  readonly hasCostlyRows?: true | undefined;
  /** Tokens that end a sequence. */
  readonly endOfSequence: readonly TokenId[];
  /** Tokens in the context. */
  readonly length: number;
  /** The device memory of the model in bytes, its KV cache included; absent if unknown. */
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
  /**
   * Stops passes that the model computes ahead, because the caller pauses or its request has ended. Absent if the model
   * computes nothing ahead.
   */
  rest?(): void;
  /**
   * From now on the server may draw the tokens that it makes with these settings; null: it makes its most likely tokens. Absent if
   * the user allows no such draws, or the model runs here.
   * @param isSeedRandom whether nobody chose the seed of the request, so that nobody expects certain tokens
   */
  drawAhead?(drawing: ServerDrawing | null, isSeedRandom: boolean): void;
  /** The token that the server drew after the last pass; null if it drew none, or the caller has taken the draw. */
  takeServerDraw?(): ServerDraw | null;
  /**
   * Called after a token is chosen: whether it is the token that the server drew or, if the server drew none, whether mods left the
   * logits so that a server's draw would have counted. Where draws do not count, the server makes its most likely tokens for a while.
   */
  noteServerDraw?(isTaken: boolean): void;
  /**
   * Like `forward`, for a model whose logits may stay on the device. A row that stays has a summary, with sums at this
   * temperature; a row without a summary is copied whole. The caller owns the rows and releases each. `next`: the pass that
   * the caller expects to need next. The model may begin that pass before this pass has ended. Only time depends on `next`:
   * `length` and every result are the same without it, whichever pass follows.
   */
  forwardRows?(
    tokens: readonly TokenId[],
    rows: number,
    temperature: number,
    next?: ExpectedNext,
  ): Promise<readonly ComputedLogits[]>;
  /** How many of the most likely tokens a step lists; absent if rows are whole. If present, `forward` must not be called. */
  readonly listedTokens?: number | undefined;
  /** The most tokens that a step can list. Present with `listedTokens`. */
  readonly mostListed?: number | undefined;
  /** Like `forward`, for a model on a server: the `listed` most likely tokens of each row. Present with `listedTokens`. */
  forwardListed?(
    tokens: readonly TokenId[],
    rows: number,
    listed: number,
    signal?: AbortSignal,
    ahead?: number,
  ): Promise<readonly ListedLogits[]>;
  /** Copies logits to the device on which `forwardRows` leaves its logits. Returns them unchanged if they have no summary. */
  uploadRow?(logits: Float32Array, temperature: number): Promise<ComputedLogits>;
  /**
   * Like `forward`, but reads back no logits, because nobody needs them. Resolves when the tokens are computed. Absent if it
   * would not be faster than `forward`.
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
  /** Copies of cached texts outside the context; absent if the model cannot copy its cache. */
  readonly segments?: CacheSegments | undefined;
  /** Reads and steers the layers of the model; absent if the model was loaded without open layers. */
  readonly layers?: ModelLayers | undefined;
  dispose(): Promise<void>;
}

/** A copy of the cache for some tokens of a text: from place `from` up to, but without, place `to`. */
export interface CacheSegment {
  readonly from: number;
  readonly to: number;
  /** Bytes of the device's memory. */
  readonly bytes: number;
}

/**
 * Copies of parts of the KV cache. Copies stay when the context changes. The caller owns them and frees each. A part is
 * useful only together with the parts before it.
 */
export interface CacheSegments {
  /** The most bytes that `save` takes for these tokens. */
  bytesOf(from: number, to: number): number;
  /**
   * Copies the cache of the context's tokens from `from` to `to`; null if the cache has none of them. The copy may end
   * earlier, if the cache has less than the context (see `truncate`).
   * @throws RangeError if there is not enough memory; nothing has changed then.
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

/** The runtime failed, so the model has to be loaded again. `cause` is the runtime's error. */
export class ModelDeadError extends Error {
  override readonly name = "ModelDeadError";
  /** The kind of a server's failure; null for any other failure. */
  readonly code: UpstreamCode | null;

  constructor(message: string, options?: { readonly cause?: unknown; readonly code?: UpstreamCode }) {
    super(message, options);
    this.code = options?.code ?? null;
  }
}

/**
 * Failures of a server that runs the model. `upstream_failed`: the server sent a wrong response or broke the connection.
 * `upstream_unavailable`: the server did not answer.
 */
export type UpstreamCode = "upstream_failed" | "upstream_unavailable";
