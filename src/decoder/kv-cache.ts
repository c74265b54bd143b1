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

/** What the cache held at some time. One of the two is called, once. */
export interface Remembered {
  /** Makes the cache hold that again, as if no pass had run since; passes that only added to it, at that. */
  takeBack(): void;
  /** It is not wanted again. */
  forget(): void;
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
  /** Rows that were handed out and are not kept: they are there until the next pass. */
  #lent: LogitsRow[] = [];
  /** The temperature at which the request samples rows that stay on the device; null where it reads all logits. */
  #rowsStayAt: number | null = null;
  #passCount = 0;
  #hasFailed = false;
  #isBusy = false;

  constructor(model: LanguageModel) {
    this.model = model;
  }

  /**
   * From now on rows may stay on the device, with sums at this temperature; null: all logits are brought here. Whatever was
   * computed otherwise is brought to where it is wanted when it is asked for.
   */
  leaveRows(temperature: number | null): void {
    this.#rowsStayAt = temperature;
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

  /** Notes what the cache holds, and keeps its rows at hand until one of the two is called. */
  remember(): Remembered {
    const length = this.#tokens.length;
    const rows = [...this.#rows];
    const passCount = this.#passCount;
    for (const [, row] of rows) retain(row);
    return {
      forget: () => {
        for (const [, row] of rows) release(row);
      },
      takeBack: () => {
        // After a failure nothing is held, and nothing can be.
        const isHeld = this.#tokens.length >= length;
        if (isHeld) {
          this.truncate(length);
          this.#passCount = passCount;
        }
        for (const [known, row] of rows) {
          if (isHeld && !this.#rows.has(known)) this.#rows.set(known, row);
          else release(row);
        }
      },
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
    for (const known of this.#rows.keys()) if (known > length) this.#drop(known);
  }

  /** Notes that the model failed. What the cache holds is not known then, so the next request is computed from its first token on. */
  fail(message: string, cause?: unknown): ForwardError {
    this.#hasFailed = true;
    this.#tokens.length = 0;
    for (const known of this.#rows.keys()) this.#drop(known);
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
    for (const row of this.#lent.splice(0)) release(row);
    const shared = this.sharedLength(tokens);
    const atHand = shared === tokens.length ? this.#rows.get(shared) : undefined;
    // Without logits at hand the last token runs again: its row is what the next step needs.
    const reused = atHand ? shared : Math.min(shared, tokens.length - 1);
    this.truncate(reused);
    if (atHand) return { rows: [await this.#wanted(reused, atHand)], reused, passes: [] };
    const passes: PassTiming[] = [];
    let given: readonly LogitsRow[] = [];
    for (let start = reused; start < tokens.length; start += chunk) {
      await beforePass?.();
      const pass = tokens.slice(start, start + chunk);
      const startMs = now();
      const isLast = start + chunk >= tokens.length;
      given = await this.#forward(pass, isLast ? Math.min(rows, pass.length) : 0);
      const done = { tokenCount: pass.length, durationMs: now() - startMs };
      passes.push(done);
      onPass?.(done, this.#tokens.length);
    }
    return { rows: given, reused, passes };
  }

  /** The row after so many tokens, where this request wants it. */
  async #wanted(known: number, row: LogitsRow): Promise<LogitsRow> {
    const temperature = this.#rowsStayAt;
    const isThere = !(row instanceof Float32Array);
    if (isThere === (temperature !== null) || (!isThere && !this.model.uploadRow)) return row;
    try {
      const wanted = isThere ? await row.read() : await this.model.uploadRow?.(row, temperature as number);
      if (!wanted || wanted === row) return row;
      this.#drop(known);
      this.#rows.set(known, wanted);
      return wanted;
    } catch (error) {
      throw this.fail(messageOf(error), error);
    }
  }

  /** `rows`: 0 where nobody asks for logits. */
  async #forward(pass: readonly TokenId[], rows: number): Promise<readonly LogitsRow[]> {
    try {
      const given = await this.#run(pass, rows);
      this.#passCount += 1;
      this.#hasFailed = false;
      for (const token of pass) this.#tokens.push(token);
      for (const length of this.#rows.keys()) if (length !== this.#promptLength) this.#drop(length);
      const last = given.at(-1);
      if (last) this.#rows.set(this.#tokens.length, last);
      this.#lent.push(...given.slice(0, -1));
      return given;
    } catch (error) {
      // The cache could not grow, say: the model is as it was, and so is what is known of its cache.
      if (error instanceof RangeError) throw new ForwardError(error.message, { cause: error });
      throw this.fail(messageOf(error), error);
    }
  }

  async #run(pass: readonly TokenId[], rows: number): Promise<readonly LogitsRow[]> {
    const { model } = this;
    if (rows === 0 && model.append) {
      await model.append(pass);
      return [];
    }
    const asked = Math.max(1, rows);
    if (this.#rowsStayAt !== null && model.forwardRows) {
      return model.forwardRows(pass, asked, this.#rowsStayAt);
    }
    return split(await model.forward(pass, asked), model.vocabularySize);
  }

  #drop(known: number): void {
    const row = this.#rows.get(known);
    this.#rows.delete(known);
    if (row) release(row);
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

function retain(row: LogitsRow): void {
  if (!(row instanceof Float32Array)) row.retain();
}

function release(row: LogitsRow): void {
  if (!(row instanceof Float32Array)) row.release();
}

function split(logits: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: logits.length / width }, (_, row) =>
    logits.subarray(row * width, (row + 1) * width),
  );
}
