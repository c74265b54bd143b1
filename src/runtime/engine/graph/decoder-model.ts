/**
 * Implements LanguageModel over a graph: checks calls and counts tokens. The runner owns the graph's memory. `truncate` only
 * lowers a number here; the next pass begins where the runner's cache of the remaining text ends.
 */
import {
  type CacheMemory,
  type CacheSegments,
  type LanguageModel,
  ModelDeadError,
} from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import { checkForwardCall } from "../base/check-call.ts";
import { passErrorSentence, rejectWhenLost } from "../base/device-loss.ts";
import type { FloatType } from "../base/float-type.ts";
import { Mutex } from "../base/mutex.ts";
import { type SegmentStore, segmentPieces } from "../decoder-cache/segment-store.ts";
import type { GraphPass, GraphRunner } from "./graph-runner.ts";
import { LayeredContext } from "./layered-context.ts";
import { joinLogits, splitIntoPasses } from "./passes.ts";

/** The most memory for the logits of one pass: the runtime computes a row for every token of the pass. */
const logitsBytesPerPass = 256 * 2 ** 20;

export interface DecoderModelOptions {
  readonly endOfSequence: readonly number[];
  /** Most tokens in one pass; longer texts are split. Unless given, as many as the memory for logits allows. */
  readonly passTokens?: number;
  /** See LanguageModel. */
  readonly passCost?: LanguageModel["passCost"];
  readonly isPassCostAssumed?: boolean;
}

/** Makes a model over `runner`. The model owns the runner: `dispose` disposes of it. */
export function createDecoderModel(runner: GraphRunner, options: DecoderModelOptions): DecoderModel {
  return new DecoderModel(runner, options);
}

/**
 * If a cut leaves fewer uncomputed tokens than this, the next pass computes them together with the new tokens. If it leaves
 * more, they get their own pass, which saves the state at the cut: the text is often cut at the same place again, and then
 * nothing must be computed twice.
 */
const longStretch = 32;

export class DecoderModel implements LanguageModel {
  readonly vocabularySize: number;
  readonly endOfSequence: readonly number[];
  readonly passCost: LanguageModel["passCost"];
  readonly isPassCostAssumed: boolean;
  readonly #runner: GraphRunner;
  readonly #mutex = new Mutex();
  forwardRows?: NonNullable<LanguageModel["forwardRows"]>;
  uploadRow?: NonNullable<LanguageModel["uploadRow"]>;
  #segments: CacheSegments | undefined;
  readonly layers: LayeredContext | undefined;
  #passTokens: number;
  /** All tokens that the model has read. */
  #context: number[] = [];
  #dead: ModelDeadError | null = null;
  #disposed: Promise<void> | null = null;
  #earlyPassesDisabled = false;

  constructor(runner: GraphRunner, options: DecoderModelOptions) {
    this.#runner = runner;
    this.vocabularySize = runner.graph.vocabularySize;
    this.endOfSequence = options.endOfSequence;
    this.passCost = options.passCost;
    this.isPassCostAssumed = options.isPassCostAssumed ?? false;
    const fitting = Math.floor(logitsBytesPerPass / (4 * this.vocabularySize));
    this.#passTokens = Math.max(1, Math.min(fitting, options.passTokens ?? fitting));
    void runner.lost?.then((error) => this.#die(error));
    this.layers = this.#layersOf(runner);
    const { runRows, uploadRow } = runner;
    if (!runRows || !uploadRow) return;
    this.forwardRows = (tokens, rows, temperature, next) =>
      this.#forward(tokens, rows, (span, past) =>
        this.#computeRows(this.#passesOf(span, past, rows), rows, (pass) =>
          runRows(pass, temperature, this.#earlyPassesDisabled ? undefined : next),
        ),
      );
    this.uploadRow = (logits, temperature) => this.#orLost(uploadRow(logits, temperature));
  }

  #layersOf({ layers, graph }: GraphRunner): LayeredContext | undefined {
    const computesAgain = graph.states.length > 0;
    return layers && new LayeredContext(layers, (work) => this.#inTurn(work), computesAgain);
  }

  get capacity(): number {
    return this.#runner.maxCacheRows;
  }

  get memoryBytes(): number | undefined {
    return this.#runner.memoryBytes;
  }

  get cacheMemory(): CacheMemory {
    const { cacheBytes: bytes, cacheRows: tokens } = this.#runner;
    return { bytes, tokens, mostBytes: this.#runner.cacheBytesAt(this.capacity), mostTokens: this.capacity };
  }

  get length(): number {
    return this.#context.length;
  }

  /** The type of the graph's logits, before they are converted to float32. */
  get logitsType(): FloatType {
    return this.#runner.graph.logitsType;
  }

  /** Most tokens that one run of the graph computes. */
  get passTokens(): number {
    return this.#passTokens;
  }

  get promptPassTokens(): number {
    return Math.min(this.#passTokens, this.#runner.promptPassTokens);
  }

  /** Limits the tokens of a pass, for a device that computes longer passes wrong. */
  limitPasses(tokens: number): void {
    this.#passTokens = Math.min(this.#passTokens, tokens);
  }

  /** Switches off passes that start early (`next` of `forwardRows`), because this device computes them wrong. */
  disableEarlyPasses(): void {
    this.#earlyPassesDisabled = true;
  }

  forward(tokens: readonly number[], rows = 1): Promise<Float32Array> {
    return this.#forward(tokens, rows, (span, past) => this.#compute(span, past, rows));
  }

  async append(tokens: readonly number[]): Promise<void> {
    await this.#forward(tokens, 1, (span, past) => this.#compute(span, past, 0));
  }

  /**
   * Calls `compute` with the tokens to compute, and the number of tokens before them. If the cache lost some tokens, these
   * come before the new ones.
   */
  #forward<T>(
    tokens: readonly number[],
    rows: number,
    compute: (span: readonly number[], past: number) => Promise<T>,
  ): Promise<T> {
    return this.#mutex.run(async () => {
      this.#checkAlive();
      checkForwardCall(this, tokens, rows);
      const end = this.length + tokens.length;
      let past = this.#runner.rewind(this.length);
      if (end > this.#runner.cacheRows) await this.#grow(end, past);
      const missing = past < this.length ? this.#context.slice(past) : [];
      if (missing.length >= longStretch) {
        await this.#orLost(this.#compute(missing, past, 0));
        past = this.length;
      }
      const span = past < this.length ? [...missing, ...tokens] : tokens;
      const result = await this.#orLost(compute(span, past));
      for (const token of tokens) this.#context.push(token);
      this.layers?.added(tokens.length);
      return result;
    });
  }

  /** Runs `work` after all earlier work. @throws RangeError if `work` throws one; the model is unchanged then */
  #inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    return this.#mutex.run(async () => {
      this.#checkAlive();
      return this.#orRefused(work);
    });
  }

  /** Awaits `work`. If it fails, or if the device is lost meanwhile, the model is dead from then on. */
  async #orLost<T>(work: Promise<T>): Promise<T> {
    try {
      return await (this.#runner.lost ? rejectWhenLost(work, this.#runner.lost) : work);
    } catch (error) {
      throw this.#die(error);
    }
  }

  /** Computes `tokens`, which follow `past` cached tokens. */
  async #compute(tokens: readonly number[], past: number, rows: number): Promise<Float32Array> {
    const parts: Float32Array[] = [];
    for (const pass of this.#passesOf(tokens, past, rows)) parts.push(await this.#runner.run(pass));
    return joinLogits(parts, rows * this.vocabularySize);
  }

  #passesOf(tokens: readonly number[], past: number, rows: number): GraphPass[] {
    const span = { tokens, past, rows };
    return this.layers?.passes(span, this.#passTokens) ?? splitIntoPasses(span, this.#passTokens);
  }

  async #computeRows(
    passes: readonly GraphPass[],
    rows: number,
    run: (pass: GraphPass) => Promise<readonly ComputedLogits[]>,
  ): Promise<readonly ComputedLogits[]> {
    const all: ComputedLogits[] = [];
    for (const pass of passes) {
      if (pass.rows === 0) await this.#runner.run(pass);
      else all.push(...(await run(pass)));
    }
    if (all.length >= rows) return all;
    // A graph that computes only the last row returned one row for each pass; only the row of the last pass was requested.
    for (const row of all.slice(0, -1)) if (!(row instanceof Float32Array)) row.release();
    return all.slice(-1);
  }

  /** Grows the cache. @throws RangeError if memory is short; the model is unchanged then */
  async #grow(needed: number, kept: number): Promise<void> {
    let rows = this.#runner.cacheRows;
    while (rows < needed) rows *= 2;
    await this.#orRefused(() => this.#runner.grow(Math.min(rows, this.capacity), kept));
  }

  /**
   * As `#orLost`, but a RangeError (too little memory) does not make the model dead. @throws this RangeError; the model is
   * unchanged then
   */
  async #orRefused<T>(work: () => Promise<T> | T): Promise<T> {
    const tried = async (): Promise<{ readonly result: T } | RangeError> => {
      try {
        return { result: await work() };
      } catch (error) {
        if (error instanceof RangeError) return error;
        throw error;
      }
    };
    const outcome = await this.#orLost(tried());
    if (outcome instanceof RangeError) throw outcome;
    return outcome.result;
  }

  truncate(length: number): void {
    this.#checkAlive();
    if (!Number.isInteger(length) || length < 0 || length > this.length) {
      throw new RangeError(`Cannot truncate to ${length} tokens: the context has ${this.length} tokens.`);
    }
    this.#context.length = length;
    this.layers?.truncate(length);
  }

  get segments(): CacheSegments | undefined {
    this.#segments ??= this.#segmentsOver(this.#runner.segments);
    return this.#segments;
  }

  #segmentsOver(store: SegmentStore | undefined): CacheSegments | undefined {
    if (!store) return undefined;
    return {
      bytesOf: (from, to) => store.bytesOf(from, to),
      save: (from, to) =>
        this.#mutex.run(async () => {
          this.#checkAlive();
          this.#checkSpan(from, to);
          const end = Math.min(to, this.#runner.rewind(this.length));
          if (end <= from) return null;
          const segment = await this.#orRefused(() => store.save(from, end));
          return this.layers?.saved(segment) ?? segment;
        }),
      restore: (tokens, segments) =>
        this.#mutex.run(async () => {
          this.#checkAlive();
          segmentPieces(segments, tokens.length);
          this.#runner.rewind(0);
          store.load(segments, tokens.length);
          this.layers?.restored(segments, tokens.length);
          this.#context = [...tokens];
        }),
      free: (segment) => store.free(segment),
    };
  }

  #checkSpan(from: number, to: number): void {
    if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= this.length))
      throw new RangeError(
        `Tokens ${from} to ${to} are not in the context, which has ${this.length} tokens.`,
      );
  }

  #checkAlive(): void {
    if (this.#dead) throw this.#dead;
  }

  #die(error: unknown): ModelDeadError {
    if (!this.#dead) {
      this.#dead = new ModelDeadError(`${passErrorSentence(error)} The model must be loaded again.`, {
        cause: error,
      });
    }
    return this.#dead;
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#mutex.run(async () => {
      this.#dead ??= new ModelDeadError("The model was disposed of. Load the model again.");
      await this.#runner.dispose();
    });
    return this.#disposed;
  }
}
