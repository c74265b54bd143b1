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
  /** Tokens of a draft that the last pass read beside those that were asked for. */
  readonly drafted: number;
  /** Whether tokens that were asked for had been drafted. */
  readonly isDrafted: boolean;
}

/** One run of the model. */
export interface PassTiming {
  /** Those of a draft included. */
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

/** What a pass reads besides: a guess of what will come. Asked only where there is a pass. */
export type Draft = () => readonly TokenId[];

interface AdvanceOptions extends PrefillOptions {
  readonly draft?: Draft | undefined;
  readonly rows: number;
  /** Most tokens of one pass. */
  readonly chunk: number;
}

/** A token that was drafted, and the logits after it. */
interface DraftedToken {
  readonly token: TokenId;
  readonly row: LogitsRow;
}

export class KvCache {
  readonly model: LanguageModel;
  /** In the cache. */
  readonly #tokens: TokenId[] = [];
  /** Rows of logits still at hand, by the number of tokens they follow. */
  readonly #rows = new Map<number, LogitsRow>();
  /** What was drafted, and is in the model's cache behind the tokens: as if it were not there, until it is asked for. */
  #drafted: readonly DraftedToken[] = [];
  /** The model gives the last row alone: nothing can be drafted. */
  #givesLastRowOnly = false;
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
      this.truncate(this.length);
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

  /**
   * Makes the cache hold these tokens, in at most one pass. `rows` as in `LanguageModel.forward`. A `draft` is read along, and
   * kept with its rows while what is asked for is what was drafted. @throws ForwardError.
   */
  advance(tokens: readonly TokenId[], now: Clock, rows = 1, draft?: Draft): Promise<Advance> {
    return this.#alone(() => this.#advance(tokens, { rows, chunk: tokens.length, now, draft }));
  }

  /** Notes what the cache holds. What it gives makes the cache hold that again, as if no pass had run since; passes that only added to it, at that. */
  remember(): () => void {
    const length = this.#tokens.length;
    const rows = [...this.#rows];
    const passCount = this.#passCount;
    const drafted = this.#drafted;
    return () => {
      // After a failure nothing is held, and nothing can be.
      if (this.#tokens.length < length) return;
      // Where no pass ran, tokens were only found among the drafted ones.
      if (this.#passCount === passCount) {
        this.#tokens.length = length;
        this.#drafted = this.model.length === length + drafted.length ? drafted : [];
        this.#rows.clear();
      } else this.truncate(length);
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

  /** Takes what follows the first `length` tokens out of the cache, and what was drafted. @throws ForwardError when the model is dead. */
  truncate(length: number): void {
    this.#drafted = [];
    const kept = Math.min(length, this.#tokens.length);
    if (kept < this.model.length) this.#cut(kept);
    if (length < this.#tokens.length) this.#tokens.length = length;
    for (const known of this.#rows.keys()) if (known > length) this.#rows.delete(known);
  }

  /** Notes that the model failed. What the cache holds is not known then, so the next request is computed from its first token on. */
  fail(message: string, cause?: unknown): ForwardError {
    this.#hasFailed = true;
    this.#tokens.length = 0;
    this.#drafted = [];
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
    const { rows, chunk, now, beforePass, onPass, draft } = how;
    const shared = this.sharedLength(tokens);
    const atHand = shared === tokens.length ? this.#rows.get(shared) : undefined;
    // Without logits at hand the last token runs again: its row is what the next step needs.
    const reused = atHand ? shared : Math.min(shared, tokens.length - 1);
    if (atHand) {
      if (shared < this.#tokens.length) this.truncate(shared);
      return { rows: [atHand], reused, passes: [], drafted: 0, isDrafted: false };
    }
    const found = this.#takeDrafted(tokens, reused);
    const known = reused + found.length;
    if (known === tokens.length)
      return { rows: found.slice(-rows), reused, passes: [], drafted: 0, isDrafted: true };
    this.truncate(known);
    const passes: PassTiming[] = [];
    let last: Pass = { rows: [], drafted: 0 };
    for (let start = known; start < tokens.length; start += chunk) {
      await beforePass?.();
      const pass = tokens.slice(start, start + chunk);
      const startMs = now();
      last = await this.#forward(pass, Math.min(rows, pass.length), draft?.() ?? []);
      const done = { tokenCount: pass.length + last.drafted, durationMs: now() - startMs };
      passes.push(done);
      onPass?.(done, this.#tokens.length);
    }
    const wanted = [...found, ...last.rows].slice(-Math.max(last.rows.length, rows));
    return { rows: wanted, reused, passes, drafted: last.drafted, isDrafted: found.length > 0 };
  }

  /** Takes over those of the tokens after the first `length` that were drafted; gives the rows after them. */
  #takeDrafted(tokens: readonly TokenId[], length: number): LogitsRow[] {
    if (length < this.#tokens.length) return [];
    const other = this.#drafted.findIndex(({ token }, i) => token !== tokens[length + i]);
    const taken = this.#drafted.slice(0, other < 0 ? this.#drafted.length : other);
    if (taken.length === 0) return [];
    this.#drafted = this.#drafted.slice(taken.length);
    for (const { token } of taken) this.#tokens.push(token);
    const last = taken.at(-1);
    if (last) this.#keepRow(last.row);
    return taken.map(({ row }) => row);
  }

  async #forward(pass: readonly TokenId[], rows: number, wanted: readonly TokenId[]): Promise<Pass> {
    const draft = this.#givesLastRowOnly ? [] : wanted;
    const before = this.#tokens.length;
    try {
      const logits = await this.model.forward([...pass, ...draft], rows + draft.length);
      this.#passCount += 1;
      this.#hasFailed = false;
      const all = split(logits, this.model.vocabularySize);
      if (draft.length > 0 && all.length < rows + draft.length) {
        this.#givesLastRowOnly = true;
        this.#cut(before);
        return await this.#forward(pass, rows, []);
      }
      for (const token of pass) this.#tokens.push(token);
      const own = all.slice(0, all.length - draft.length);
      this.#drafted = draft.map((token, i) => ({ token, row: all[own.length + i] as LogitsRow }));
      this.#keepRow(own.at(-1) as LogitsRow);
      return { rows: own, drafted: draft.length };
    } catch (error) {
      if (error instanceof ForwardError) throw error;
      // The cache could not grow, say: the model is as it was, and so is what is known of its cache.
      if (error instanceof RangeError && draft.length > 0) return this.#forward(pass, rows, []);
      if (error instanceof RangeError) throw new ForwardError(error.message, { cause: error });
      throw this.fail(messageOf(error), error);
    }
  }

  /** Of all rows, that of the prompt and this one, which follows all tokens, stay at hand. */
  #keepRow(row: LogitsRow): void {
    for (const length of this.#rows.keys()) if (length !== this.#promptLength) this.#rows.delete(length);
    this.#rows.set(this.#tokens.length, row);
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

/** Rows after the tokens that were asked for, and how many were drafted besides. */
interface Pass {
  readonly rows: readonly LogitsRow[];
  readonly drafted: number;
}

function split(logits: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: logits.length / width }, (_, row) =>
    logits.subarray(row * width, (row + 1) * width),
  );
}
