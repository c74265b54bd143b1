/**
 * The model's KV cache, as the list of tokens that the model has read. A caller passes the whole text that it needs. This class
 * compares the text with the list, cuts the list where the two differ, and runs the model on the rest. It outlives requests.
 * A row is the logits after one token. Draft tokens are guesses that a pass reads after the text: the model's cache has their
 * keys and values, and `length` does not count them until the caller asks for the same tokens.
 *
 * Example with one token per letter; each call continues from the state that the call before left:
 *   prefill("ab")                   one pass over 2 tokens; the row after "ab" is cached
 *   forward("abc"), draft "defg"    one pass over 5 tokens, 2 reused; `length` is 3, the model's cache has 7 tokens
 *   forward("abcd"), then "abcde"   no pass, because "d" and "e" are draft tokens; `length` is 5
 *   remember(), forward("abcdeX")   the drafts "fg" are cut; one pass over 1 token, 5 reused
 *   takeBack() of the snapshot      `length` is 5 and `passCount` 2, as if the last pass had never run
 *   forward("ab")                   no pass: the row after the prompt is still cached
 *
 * Rules: a list that was passed may get further tokens before the next call; a text with other or fewer tokens is a new list
 * (`cached-text.ts`). `resume`, `prefill` and `forward` reject while another of these calls runs. The cache has two rows of the text: after
 * the prompt and after the last token; for another length, the last token is computed again. After a failure the cache is
 * empty, and `hasFailed` stays true until a pass succeeds. A stop and a lack of memory are no failures.
 */

import { messageOf } from "../../base/message-of.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { ModelLogits } from "../ports/logits.ts";
import { ForwardError } from "../ports/request-error.ts";
import type { CacheKey } from "./cache-key.ts";
import { type CachedLogits, type DraftedToken, logitsIn, type PassLogits } from "./cached-logits.ts";
import { type CachedPrefixes, createCachedPrefixes } from "./cached-prefixes.ts";
import { CachedText } from "./cached-text.ts";
import { OverlapGuard } from "./exclusive.ts";
import type {
  CacheSnapshot,
  Clock,
  PassGuesses,
  PassOptions,
  PassResult,
  PrefillOptions,
} from "./forward-pass.ts";
import { ModelPasses } from "./model-passes.ts";
import { PassActivations } from "./pass-activations.ts";
import type { PassTiming } from "./pass-timing.ts";

export class KvCache {
  readonly model: LanguageModel;
  /** Cached texts beside the present one; null without a budget for them, or if the model cannot copy its cache. */
  readonly prefixes: CachedPrefixes | null;
  /** Null if the model's layers are not open: then keys are tokens. */
  readonly activations: PassActivations | null;
  readonly #text = new CachedText();
  /** Rows of logits that are cached, by the number of tokens that they follow. */
  #logitsByLength = new Map<number, ModelLogits>();
  /**
   * Draft tokens whose keys and values are in the model's cache after the tokens of the text. A draft token counts
   * as cached only once the loop asks for a pass over the same token.
   */
  #drafted: readonly DraftedToken[] = [];
  /** The model gives only the logits of the last position, so drafts are impossible. False until a pass has shown it. */
  #returnsLastLogitsOnly = false;
  /**
   * The logits after the prompt stay cached as long as the prompt, so that a repeated request starts from exactly the same
   * logits.
   */
  #promptLength = 0;
  /** Rows that a caller holds: they are valid until the next pass, or until the cache is cut. */
  #lentLogits: readonly ModelLogits[] = [];
  /** Cached logits to which the cache may still be rolled back. */
  readonly #snapshots = new Set<CachedLogits>();
  readonly #modelPasses: ModelPasses;
  #passCount = 0;
  #hasFailed = false;
  readonly #calls = new OverlapGuard("The model is computing for another request: await that request first.");

  /**
   * `prefixBudget`: the most bytes of cached texts beside the present one; 0 by default, and for a model that cannot copy its
   * cache.
   */
  constructor(model: LanguageModel, { prefixBudget }: { readonly prefixBudget?: () => number } = {}) {
    this.model = model;
    this.activations = model.layers ? new PassActivations(model.layers) : null;
    this.#modelPasses = new ModelPasses(model, this.activations);
    this.prefixes = prefixBudget ? createCachedPrefixes(model, prefixBudget) : null;
  }

  /**
   * From now on logits may stay on the device, with sums at this temperature. If `temperature` is null, all logits are
   * copied to the CPU.
   */
  leaveLogitsOnDevice(temperature: number | null): void {
    this.#modelPasses.deviceTemperature = temperature;
  }

  /** From now on a server that lists the most likely tokens lists at least so many. */
  listAtLeast(count: number): void {
    this.#modelPasses.listAtLeast = count;
  }

  /** From now on an abort of this signal ends a pass that waits for another machine: the pass then throws the signal's reason. */
  endPassesWith(signal: AbortSignal | undefined): void {
    this.#modelPasses.signal = signal;
  }

  /** Tells the model that the request pauses or has ended: the model then computes nothing ahead. */
  rest(): void {
    this.model.rest?.();
  }

  /** Tokens in the cache. */
  get length(): number {
    return this.#text.length;
  }

  /**
   * A request will need these tokens: copies their cached beginning back, and caches the text that would be lost (see
   * `CachedPrefixes.change`). @throws ForwardError
   */
  resume(tokens: readonly CacheKey[]): Promise<void> {
    return this.#calls.run(async () => {
      this.activations?.keepSteeringsOf([this.#text.tokens, tokens], this.prefixes);
      if (!this.prefixes) return;
      this.truncate(this.length);
      const row = this.#logitsByLength.get(this.#promptLength);
      const prompt = row ? { length: this.#promptLength, row } : null;
      try {
        const restored = await this.prefixes.change({ tokens: this.#text.tokens, prompt }, tokens);
        if (restored === null) return;
        this.#text.replace(restored.tokens);
        this.#promptLength = restored.prompt?.length ?? 0;
        this.#logitsByLength = new Map(restored.prompt ? [[this.#promptLength, restored.prompt.row]] : []);
      } catch (error) {
        throw this.fail(messageOf(error), error);
      } finally {
        this.#releaseUnneededLogits();
      }
    });
  }

  /**
   * Makes the cache hold a request's prompt, or the prompt and further tokens, in passes of up to the model's
   * `promptPassTokens`.
   * @throws ForwardError, and the errors of `beforePass`.
   */
  prefill(tokens: readonly CacheKey[], options: PrefillOptions): Promise<PassResult> {
    return this.#calls.run(async () => {
      this.truncate(this.length);
      const { promptLength = tokens.length } = options;
      if (promptLength < tokens.length) this.#promptLength = promptLength;
      const passResult = await this.#forward(tokens, {
        ...options,
        rows: options.rows ?? 1,
        chunk: this.model.promptPassTokens,
        guesses: { ahead: options.ahead },
      });
      this.#promptLength = promptLength;
      return passResult;
    });
  }

  /**
   * Makes the cache hold these tokens, in at most one pass. `rows` as in `LanguageModel.forward`. The pass also reads the
   * draft tokens; they and their logits stay while the next tokens equal them. @throws ForwardError.
   */
  forward(tokens: readonly CacheKey[], now: Clock, rows = 1, guesses?: PassGuesses): Promise<PassResult> {
    return this.#calls.run(() => this.#forward(tokens, { rows, chunk: tokens.length, now, guesses }));
  }

  /** Makes a snapshot of the cache. The logits stay cached until one of the snapshot's two functions is called. */
  remember(): CacheSnapshot {
    const cachedLogits = { rows: [...this.#logitsByLength], drafted: this.#drafted };
    const { length } = this;
    const passCount = this.#passCount;
    this.#snapshots.add(cachedLogits);
    return {
      forget: () => {
        this.#snapshots.delete(cachedLogits);
      },
      takeBack: () => {
        // After a failure the cache is empty and stays empty.
        if (this.length >= length) this.#takeBack(cachedLogits, length, passCount);
        this.#snapshots.delete(cachedLogits);
        this.#releaseUnneededLogits();
      },
    };
  }

  #takeBack({ rows, drafted }: CachedLogits, length: number, passCount: number): void {
    // If no pass ran, the requested tokens were draft tokens, or cached.
    if (this.#passCount === passCount) {
      this.#text.truncate(length);
      this.#drafted = this.model.length === length + drafted.length ? drafted : [];
      this.#logitsByLength.clear();
    } else this.truncate(length);
    // The passes since the snapshot count as if they had never run.
    this.#passCount = passCount;
    for (const [known, row] of rows) this.#logitsByLength.set(known, row);
  }

  /** The model's last pass failed: the model must be loaded again. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** A pass has shown that the model gives only the logits of the last position. */
  get returnsLastLogitsOnly(): boolean {
    return this.#returnsLastLogitsOnly;
  }

  /** Runs of the model since the cache was made. */
  get passCount(): number {
    return this.#passCount;
  }

  /**
   * Removes the tokens after the first `length` from the cache, and the draft tokens.
   * @throws ForwardError if the model has failed.
   */
  truncate(length: number): void {
    this.#lentLogits = [];
    this.#truncate(length);
  }

  #truncate(length: number): void {
    this.#drafted = [];
    const newLength = Math.min(length, this.length);
    if (newLength < this.model.length) this.#truncateModel(newLength);
    this.#text.truncate(length);
    for (const known of this.#logitsByLength.keys()) if (known > length) this.#logitsByLength.delete(known);
    this.#releaseUnneededLogits();
  }

  /**
   * Notes that the model failed, and returns the error for the caller to throw. The content of the model's cache is then unknown,
   * so the next request is computed from its first token on.
   */
  fail(message: string, cause?: unknown): ForwardError {
    this.#hasFailed = true;
    this.#text.truncate(0);
    this.#drafted = [];
    this.#logitsByLength.clear();
    this.#lentLogits = [];
    this.prefixes?.forget();
    this.#releaseUnneededLogits();
    return new ForwardError(`The model failed: ${message}`, { cause });
  }

  /** The error to throw after an error of the model: the same error after a stop; for every other error, see `fail`. */
  failureOf(error: unknown): unknown {
    return this.#isStop(error) ? error : this.fail(messageOf(error), error);
  }

  #isStop(error: unknown): boolean {
    const { signal } = this.#modelPasses;
    return signal?.aborted === true && error === signal.reason;
  }

  /** Number of first tokens that `tokens` shares with the cache. Between two calls, tokens may be added to a list, never changed or removed. */
  sharedLength(tokens: readonly CacheKey[]): number {
    return this.#text.sharedLength(tokens);
  }

  /** The logits after the first `length` tokens, if they are cached. */
  logitsAfter(length: number): ModelLogits | undefined {
    return this.#logitsByLength.get(length);
  }

  /** The first `length` tokens are the prompt, and the logits after them stay cached as long as the prompt. */
  hasLogitsAfterPrompt(length: number): boolean {
    return this.#promptLength === length && this.#logitsByLength.has(length);
  }

  async #forward(tokens: readonly CacheKey[], options: PassOptions): Promise<PassResult> {
    const { rows, chunk, now, beforePass, onPass, guesses } = options;
    this.#lentLogits = [];
    const shared = this.sharedLength(tokens);
    const cachedRow =
      shared === tokens.length && !this.activations?.isRead ? this.#logitsByLength.get(shared) : undefined;
    // Without cached logits the last token is computed again, because the next step needs its logits.
    const reused = cachedRow ? shared : Math.min(shared, tokens.length - 1);
    if (cachedRow) {
      if (shared < this.length) this.#truncate(shared);
      const row = await this.#moveWhereNeeded(reused, cachedRow);
      return { rows: [row], reused, passes: [], drafted: 0, isDrafted: false };
    }
    // Draft tokens that the text now contains need no pass: their rows come from the pass that read them.
    const draftedRows = this.#takeDrafted(tokens, reused);
    this.#lentLogits = draftedRows;
    const known = reused + draftedRows.length;
    if (known === tokens.length)
      return { rows: draftedRows.slice(-rows), reused, passes: [], drafted: 0, isDrafted: true };
    this.#truncate(known);
    const passes: PassTiming[] = [];
    let last: PassLogits = { rows: [], drafted: 0 };
    for (let start = known, end = known; start < tokens.length; start = end) {
      await beforePass?.();
      end = endOfPass(start, chunk, tokens.length, rows);
      const pass = tokens.slice(start, end);
      const startMs = now();
      const isLast = end === tokens.length;
      last = await this.#runPass(pass, isLast ? Math.min(rows, pass.length) : 0, guesses);
      const timing = { tokenCount: pass.length + last.drafted, durationMs: now() - startMs };
      passes.push(timing);
      onPass?.(timing, this.length);
    }
    const lastRows = [...draftedRows, ...last.rows].slice(-Math.max(last.rows.length, rows));
    return { rows: lastRows, reused, passes, drafted: last.drafted, isDrafted: draftedRows.length > 0 };
  }

  /** Moves the tokens after the first `length` that equal draft tokens to the cached text. Returns the rows after them. */
  #takeDrafted(tokens: readonly CacheKey[], length: number): ModelLogits[] {
    if (length < this.length) return [];
    const mismatch = this.#drafted.findIndex(({ token }, i) => token !== tokens[length + i]);
    const taken = this.#drafted.slice(0, mismatch < 0 ? this.#drafted.length : mismatch);
    if (taken.length === 0) return [];
    this.#drafted = this.#drafted.slice(taken.length);
    this.#text.add(taken.map(({ token }) => token));
    const last = taken.at(-1);
    if (last) this.#cacheLogits(last.row);
    return taken.map(({ row }) => row);
  }

  /** The row after the first `known` tokens, on the CPU or the device, as this request needs it. */
  async #moveWhereNeeded(known: number, row: ModelLogits): Promise<ModelLogits> {
    try {
      const movedRow = await this.#modelPasses.moveWhereNeeded(row);
      this.#logitsByLength.set(known, movedRow);
      return movedRow;
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  /** `rows`: 0 if nobody needs logits. */
  async #runPass(pass: readonly CacheKey[], rows: number, guesses?: PassGuesses): Promise<PassLogits> {
    const draft = (!this.#returnsLastLogitsOnly && guesses?.draft?.()) || [];
    const before = this.length;
    try {
      const computesOneRow = rows + draft.length === 1;
      const next = computesOneRow && guesses?.isTopTokenNext?.() ? "mostLikely" : undefined;
      const ahead = rows > 0 ? guesses?.ahead?.() : 0;
      const all = await this.#modelPasses.run([...pass, ...draft], rows + draft.length, { next, ahead });
      this.#passCount += 1;
      this.#hasFailed = false;
      // Without a row for each draft token the drafts are useless: they are cut, and the pass runs again without them.
      if (draft.length > 0 && all.length < rows + draft.length) {
        this.#returnsLastLogitsOnly = true;
        this.#truncateModel(before);
        return await this.#runPass(pass, rows);
      }
      if (all.length < rows) this.#returnsLastLogitsOnly = true;
      this.#text.add(pass);
      const requestedRows = all.slice(0, all.length - draft.length);
      this.#drafted = draft.map((token, i) => ({ token, row: all[requestedRows.length + i] as ModelLogits }));
      this.#cacheLogits(requestedRows.at(-1));
      this.#lentLogits = [...this.#lentLogits, ...requestedRows];
      return { rows: requestedRows, drafted: draft.length };
    } catch (error) {
      if (error instanceof ForwardError) throw error;
      if (this.#isStop(error)) throw error;
      // For example, the cache could not grow: the model and its cache are unchanged.
      if (error instanceof RangeError && (draft.length > 0 || this.prefixes?.free()))
        return this.#runPass(pass, rows);
      if (error instanceof RangeError) throw new ForwardError(error.message, { cause: error });
      throw this.fail(messageOf(error), error);
    }
  }

  /** Stores two rows of logits: the row after the prompt, and this row after all tokens. */
  #cacheLogits(row: ModelLogits | undefined): void {
    for (const length of this.#logitsByLength.keys())
      if (length !== this.#promptLength) this.#logitsByLength.delete(length);
    if (row) this.#logitsByLength.set(this.length, row);
  }

  /** Releases the rows that nobody can request any more. */
  #releaseUnneededLogits(): void {
    if (!this.#modelPasses.hasUnreleasedLogits) return;
    const cached = [{ rows: this.#logitsByLength, drafted: this.#drafted }, ...this.#snapshots];
    this.#modelPasses.keepOnly(
      [this.#lentLogits, this.prefixes?.rows ?? [], ...cached.flatMap(logitsIn)].flat(),
    );
  }

  #truncateModel(length: number): void {
    try {
      this.model.truncate(length);
    } catch (error) {
      throw this.fail(messageOf(error), error);
    }
  }
}

/**
 * The end of a pass that begins at `start`: the last pass has as many tokens as rows are wanted, if a pass can have so many.
 */
function endOfPass(start: number, chunk: number, length: number, rows: number): number {
  const end = start + chunk;
  if (end >= length) return length;
  return length - end < rows && length - rows > start ? length - rows : end;
}
