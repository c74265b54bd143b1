/** The questions and answers of a KV cache: passes, their logits, and the error that ends them. */
import type { TokenId } from "../../sdk/request.ts";
import type { ModelLogits } from "../ports/logits.ts";

/** The result of one call of `advance` or `prefill`. */
export interface PassResult {
  /** Logits `(vocabulary)` after the last tokens, oldest first: as many as were asked for and the model gave, at least one. Not to be changed. */
  readonly rows: readonly ModelLogits[];
  /** Tokens found in the cache. */
  readonly reused: number;
  /** Each run of the model; empty when the logits were still at hand. */
  readonly passes: readonly PassTiming[];
  /** Tokens of a draft that the last pass read beside those that were asked for. */
  readonly drafted: number;
  /** Whether tokens that were asked for had been drafted. */
  readonly isDrafted: boolean;
}

/** One run of the model. */
export interface PassTiming {
  /** Includes draft tokens. */
  readonly tokenCount: number;
  readonly durationMs: number;
}

/** Milliseconds, monotonic. */
export type Clock = () => number;

/** How a prompt is read. */
export interface PrefillOptions {
  /** Tokens of the prompt, the logits after which are kept; all unless given. */
  readonly promptLength?: number;
  readonly now: Clock;
  /** How many rows the last pass gives; one unless given. */
  readonly rows?: number;
  /**
   * Awaited before each pass, so that a pause or a cancel takes effect between two passes. If it throws, the prefill
   * ends with this error.
   */
  readonly beforePass?: () => Promise<void>;
  /** Called after each pass; `contextLength`: tokens that are in the cache by then. */
  readonly onPass?: (pass: PassTiming, contextLength: number) => void;
}

/** The content of the cache at some time. Exactly one of the two functions is called, once. */
export interface CacheSnapshot {
  /** Makes the cache hold that again, as if no pass had run since; passes that only added to it, at that. */
  takeBack(): void;
  /** Discards the snapshot. */
  forget(): void;
}

/**
 * Guesses about the next passes. Only time and the number of passes depend on them. Each guess is asked for only
 * before a pass.
 */
export interface PassGuesses {
  /** Tokens that the pass reads besides. */
  readonly draft?: (() => readonly TokenId[]) | undefined;
  /** Whether the most likely token will be asked for next; asked where nothing is drafted. */
  readonly isTopTokenNext?: (() => boolean) | undefined;
  /** The most tokens that may be asked for after the pass, one by one. */
  readonly ahead?: (() => number) | undefined;
}

/** How the cache is made to hold some tokens. */
export interface PassOptions extends PrefillOptions {
  readonly guesses?: PassGuesses | undefined;
  readonly rows: number;
  /** Most tokens of one pass. */
  readonly chunk: number;
}
