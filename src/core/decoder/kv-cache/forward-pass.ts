/** The types of requests to a KV cache and of its results: passes, their logits, and the error that ends them. */
import type { TokenId } from "../../sdk/request.ts";
import type { ModelLogits } from "../ports/logits.ts";
import type { CacheKey } from "./cache-key.ts";
import type { PassTiming } from "./pass-timing.ts";

/** Makes the KV cache hold these keys, and computes at least the last one. @throws ForwardError */
export type FillCache = (keys: readonly CacheKey[]) => Promise<PassResult>;

/** The result of one call of `forward` or `prefill`. */
export interface PassResult {
  /** Logits `(vocabulary)` after the last tokens, oldest first: at least one row, at most as many as requested. Do not change them. */
  readonly rows: readonly ModelLogits[];
  /** Tokens found in the cache. */
  readonly reused: number;
  /** Each run of the model; empty if the logits were cached. */
  readonly passes: readonly PassTiming[];
  /** Draft tokens that the last pass read beside the requested tokens. */
  readonly drafted: number;
  /** Whether requested tokens came from an earlier draft. */
  readonly isDrafted: boolean;
}

/** Milliseconds, monotonic. */
export type Clock = () => number;

/** How a prompt is read. */
export interface PrefillOptions {
  /** Tokens of the prompt, after which the logits stay cached; all tokens by default. */
  readonly promptLength?: number;
  readonly now: Clock;
  /** Number of rows of the last pass; 1 by default. */
  readonly rows?: number;
  /**
   * Awaited before each pass, so that a pause or a cancel takes effect between two passes. If it throws, the prefill
   * ends with this error.
   */
  readonly beforePass?: () => Promise<void>;
  /** See `PassGuesses`; asked once, before the last pass. */
  readonly ahead?: (() => number) | undefined;
  /** Called after each pass; `contextLength`: tokens that are in the cache by then. */
  readonly onPass?: (pass: PassTiming, contextLength: number) => void;
}

/** The content of the cache at some time. Exactly one of the two functions is called, once. */
export interface CacheSnapshot {
  /** Restores this content. Call it only if nothing but passes that added tokens has happened since the snapshot. */
  takeBack(): void;
  /** Discards the snapshot. */
  forget(): void;
}

/**
 * Guesses about the next passes. Only time and the number of passes depend on them. Each guess is asked for only
 * before a pass.
 */
export interface PassGuesses {
  /** Draft tokens that the pass reads in addition. */
  readonly draft?: (() => readonly TokenId[]) | undefined;
  /** Whether the loop expects to choose the most likely token of the next pass; called only if there is no draft. */
  readonly isTopTokenNext?: (() => boolean) | undefined;
  /** The most tokens that may be requested one by one after the pass. */
  readonly ahead?: (() => number) | undefined;
}

/** Options of a call that makes the cache hold some tokens. */
export interface PassOptions extends PrefillOptions {
  readonly guesses?: PassGuesses | undefined;
  readonly rows: number;
  /** Most tokens of one pass. */
  readonly chunk: number;
}
