/** The model's KV cache: which tokens it holds, and what has to be computed for it to hold others. It outlives requests. */

import { messageOf } from "../base/message-of.ts";
import { sharedLength } from "../base/shared-length.ts";
import type { TokenId } from "../sdk/request.ts";
import type { LanguageModel } from "./language-model.ts";
import type { LogitsRow } from "./logits-row.ts";

/** What one call of `advance` or `prefill` did. */
export interface Advance {
  /** Logits `(vocabulary)` after the last tokens, oldest first: as many as were asked for and the model gave, at least one. Not to be changed. */
  readonly rows: readonly LogitsRow[];
  /** Tokens found in the cache. */
  readonly reused: number;
  /** Each run of the model; empty when the logits were still at hand. */
  readonly passes: readonly PassTiming[];
}

/** One run of the model. */
export interface PassTiming {
  readonly tokenCount: number;
  readonly durationMs: number;
}

/** The model did not compute. `cause` is what it threw. */
export class ForwardError extends Error {
  override readonly name = "ForwardError";
}

/** Milliseconds, monotonic. */
type Clock = () => number;

/** How a prompt is read. */
export interface PrefillOptions {
  /** Tokens of the prompt, the logits after which are kept; all unless given. */
  readonly promptLength?: number;
  readonly now: Clock;
  /** Awaited before each pass, so that a pause or a cancel is heard between two. What it throws ends the prefill. */
  readonly beforePass?: () => Promise<void>;
  /** Called after each pass; `contextLength`: tokens that are in the cache by then. */
  readonly onPass?: (pass: PassTiming, contextLength: number) => void;
}

interface AdvanceOptions extends PrefillOptions {
  readonly rows: number;
  /** Most tokens of one pass. */
  readonly chunk: number;
}

export class KvCache {
  readonly model: LanguageModel;
  /** In the cache. */
  readonly #tokens: TokenId[] = [];
  /** Rows of logits still at hand, by the number of tokens they follow. */
  readonly #rows = new Map<number, LogitsRow>();
  /** The prompt's row is kept as long as the prompt is, so that the same request again starts from the very same logits. */
  #promptLength = 0;
  #passCount = 0;
  #hasFailed = false;
  #isBusy = false;

  constructor(model: LanguageModel) {
    this.model = model;
  }

  /** Tokens in the cache. */
  get length(): number {
    return this.#tokens.length;
  }

  /**
   * Makes the cache hold a request's prompt, or a prompt and more, in passes of up to the model's `promptPassTokens`.
   * @throws ForwardError, and what `beforePass` throws.
   */
  prefill(tokens: readonly TokenId[], options: PrefillOptions): Promise<Advance> {
    return this.#alone(async () => {
      const { promptLength = tokens.length } = options;
      if (promptLength < tokens.length) this.#promptLength = promptLength;
      const advance = await this.#advance(tokens, {
        ...options,
        rows: 1,
        chunk: this.model.promptPassTokens,
      });
      this.#promptLength = promptLength;
      return advance;
    });
  }

  /** Makes the cache hold these tokens, in at most one pass. `rows` as in `LanguageModel.forward`. @throws ForwardError. */
  advance(tokens: readonly TokenId[], now: Clock, rows = 1): Promise<Advance> {
    return this.#alone(() => this.#advance(tokens, { rows, chunk: tokens.length, now }));
  }

  /** Notes what the cache holds. What it gives makes the cache hold that again, as if no pass had run since; passes that only added to it, at that. */
  remember(): () => void {
    const length = this.#tokens.length;
    const rows = [...this.#rows];
    const passCount = this.#passCount;
    return () => {
      // After a failure nothing is held, and nothing can be.
      if (this.#tokens.length < length) return;
      this.truncate(length);
      this.#passCount = passCount;
      for (const [known, logits] of rows) this.#rows.set(known, logits);
    };
  }

  /** The last thing the model did was to fail: it is to be loaded again. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Runs of the model since the cache was made. */
  get passCount(): number {
    return this.#passCount;
  }

  /** Takes what follows the first `length` tokens out of the cache. @throws ForwardError when the model is dead. */
  truncate(length: number): void {
    if (length < this.model.length) this.#cut(length);
    if (length < this.#tokens.length) this.#tokens.length = length;
    for (const known of this.#rows.keys()) if (known > length) this.#rows.delete(known);
  }

  /** Notes that the model failed. What the cache holds is not known then, so the next request is computed from its first token on. */
  fail(message: string, cause?: unknown): ForwardError {
    this.#hasFailed = true;
    this.#tokens.length = 0;
    this.#rows.clear();
    return new ForwardError(`The model failed: ${message}`, { cause });
  }

  /** Number of first tokens that `tokens` shares with the cache. */
  sharedLength(tokens: readonly TokenId[]): number {
    return sharedLength(this.#tokens, tokens);
  }

  /** Logits after the first `length` tokens, where they are still at hand. */
  logitsAfter(length: number): LogitsRow | undefined {
    return this.#rows.get(length);
  }

  async #advance(tokens: readonly TokenId[], how: AdvanceOptions): Promise<Advance> {
    const { rows, chunk, now, beforePass, onPass } = how;
    const shared = this.sharedLength(tokens);
    const atHand = shared === tokens.length ? this.#rows.get(shared) : undefined;
    // Without logits at hand the last token runs again: its row is what the next step needs.
    const reused = atHand ? shared : Math.min(shared, tokens.length - 1);
    this.truncate(reused);
    if (atHand) return { rows: [atHand], reused, passes: [] };
    const passes: PassTiming[] = [];
    let logits: Float32Array = new Float32Array();
    for (let start = reused; start < tokens.length; start += chunk) {
      await beforePass?.();
      const pass = tokens.slice(start, start + chunk);
      const startMs = now();
      logits = await this.#forward(pass, Math.min(rows, pass.length));
      const done = { tokenCount: pass.length, durationMs: now() - startMs };
      passes.push(done);
      onPass?.(done, this.#tokens.length);
    }
    return { rows: split(logits, this.model.vocabularySize), reused, passes };
  }

  async #forward(pass: readonly TokenId[], rows: number): Promise<Float32Array> {
    try {
      const logits = await this.model.forward(pass, rows);
      this.#passCount += 1;
      this.#hasFailed = false;
      for (const token of pass) this.#tokens.push(token);
      for (const length of this.#rows.keys()) if (length !== this.#promptLength) this.#rows.delete(length);
      this.#rows.set(this.#tokens.length, logits.subarray(logits.length - this.model.vocabularySize));
      return logits;
    } catch (error) {
      // The cache could not grow, say: the model is as it was, and so is what is known of its cache.
      if (error instanceof RangeError) throw new ForwardError(error.message, { cause: error });
      throw this.fail(messageOf(error), error);
    }
  }

  #cut(length: number): void {
    try {
      this.model.truncate(length);
    } catch (error) {
      throw this.fail(messageOf(error), error);
    }
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) throw new Error("The model is computing for another request: await that one first.");
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

function split(logits: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: logits.length / width }, (_, row) =>
    logits.subarray(row * width, (row + 1) * width),
  );
}
