/** Runs the shaders over rows of logits: binds inputs and reads results back. */
import type { LogitsSummary } from "../../../core/decoder/ports/device-logits.ts";
import type { FloatType } from "../base/float-type.ts";
import type { KernelRunner, LogitsLocation } from "./kernel-runner.ts";
import { type LogitsKernelName, listThreads, logitsShaderOf } from "./logits-wgsl.ts";
import { mostLikelyShader, noToken } from "./most-likely-wgsl.ts";
import { readLogitsSummary } from "./read-summary.ts";
import { fewestListed, groupsPerPiece, mostListed } from "./summary-layout.ts";

/** The options of a summary. */
export interface SummaryOptions {
  readonly rows: number;
  readonly temperature: number;
  /** For each row, a token whose logit is returned with the summary; none unless given. */
  readonly asked?: readonly number[];
  /** An 8-byte buffer for the most likely token of the only row, in the form in which a pass reads token ids. */
  readonly ids?: GPUBuffer | undefined;
}

export interface LogitsResult {
  /** Null if too many tokens reach the threshold. */
  readonly summary: LogitsSummary | null;
  /** The logit of the requested token. */
  readonly asked: number;
  /** The token that was written to `ids`; null if no logit is finite. Meaningless without `ids`. */
  readonly mostLikely: number | null;
}

export class LogitsKernels {
  readonly #on: KernelRunner;

  constructor(on: KernelRunner) {
    this.#on = on;
  }

  /** Compiles the kernels that every pass needs. */
  async prepare(type: FloatType): Promise<void> {
    await Promise.all([this.#summaryPipelines(type), this.#mostLikely(type)]);
  }

  /** Returns the summaries of `rows` rows. */
  async summarize(at: LogitsLocation, options: SummaryOptions): Promise<LogitsResult[]> {
    return (await this.begin(at, options)).results;
  }

  /** Like `summarize`, but resolves when the work is queued, so that the caller can queue more work. */
  async begin(
    { buffer, type, first }: LogitsLocation,
    { rows, temperature, asked = [], ids }: SummaryOptions,
  ): Promise<{ readonly results: Promise<LogitsResult[]> }> {
    const { pieces, stride } = this.#on.layout;
    const groups = pieces * groupsPerPiece;
    const pipelines = await this.#summaryPipelines(type);
    const mostLikely = ids ? await this.#mostLikely(type) : null;
    const wanted = Array.from({ length: rows }, (_, row) => asked[row] ?? noToken);
    const params = this.#on.params({ first, wanted: fewestListed, most: mostListed, scale: 1 / temperature });
    const tops = this.#on.storage("tops", 4 * groups * rows);
    const result = this.#on.storage("summary", 4 * stride * rows);
    const askedFor = this.#on.upload("asked", Uint32Array.from(wanted));
    const bound = { logits: buffer, params, 2: tops, 3: result };
    const encoder = this.#on.device.createCommandEncoder();
    this.#on.dispatch(encoder, pipelines.summarize, bound, pieces, rows);
    this.#on.dispatch(encoder, pipelines.threshold, { params, 2: tops, 3: result }, 1, rows);
    this.#on.dispatch(encoder, pipelines.collect, { ...bound, 4: askedFor }, pieces, rows);
    if (ids && mostLikely) this.#on.dispatch(encoder, mostLikely, { params, 2: result, 3: ids }, 1);
    const results = this.#on.memory.read(
      result,
      0,
      4 * stride * rows,
      (copy) =>
        Array.from({ length: rows }, (_, row) => {
          const words = new Uint32Array(copy, 4 * stride * row, stride);
          const summary = readLogitsSummary(words, this.#on.layout, temperature);
          const token = words[3] as number;
          return {
            summary,
            asked: new Float32Array(copy, 4 * (stride * row + 2), 1)[0] as number,
            mostLikely: token === noToken ? null : token,
          };
        }),
      encoder,
    );
    return { results };
  }

  /** Returns the logits of these tokens. */
  async gather({ buffer, type, first }: LogitsLocation, tokens: readonly number[]): Promise<Float32Array> {
    const pipeline = await this.#pipeline("gather", type);
    const params = this.#on.params({ first, most: tokens.length });
    const asked = this.#on.upload("asked", Uint32Array.from(tokens));
    const result = this.#on.storage("gathered", 4 * tokens.length);
    const encoder = this.#on.device.createCommandEncoder();
    const bound = { logits: buffer, params, 2: asked, 3: result };
    this.#on.dispatch(encoder, pipeline, bound, Math.ceil(tokens.length / listThreads));
    return this.#on.memory.read(result, 0, 4 * tokens.length, (copy) => new Float32Array(copy), encoder);
  }

  /** Counts the mask's tokens whose logit is above -Infinity. */
  async countLeft({ buffer, type, first }: LogitsLocation, mask: Uint32Array): Promise<number> {
    const pipeline = await this.#pipeline("left", type);
    const params = this.#on.params({ first });
    const kept = this.#on.upload("mask", mask);
    const result = this.#on.storage("counted", 4);
    const encoder = this.#on.device.createCommandEncoder();
    encoder.clearBuffer(result, 0, 4);
    this.#on.dispatch(
      encoder,
      pipeline,
      { logits: buffer, params, 2: kept, 3: result },
      this.#on.layout.pieces,
    );
    return this.#on.memory.read(result, 0, 4, (copy) => new Uint32Array(copy)[0] as number, encoder);
  }

  /** Writes a float32 row into `into`: the logits that the mask keeps (all of them without a mask), and new logits for some tokens. */
  async change(
    { buffer, type, first }: LogitsLocation,
    into: GPUBuffer,
    {
      mask,
      tokens,
      logits,
    }: { mask: Uint32Array | null; tokens: readonly number[]; logits: readonly number[] },
  ): Promise<void> {
    const [masks, scatters] = await Promise.all([
      this.#pipeline("mask", type),
      this.#pipeline("scatter", type),
    ]);
    const encoder = this.#on.device.createCommandEncoder();
    const params = this.#on.params({ first, wanted: mask ? 1 : 0, most: tokens.length });
    const kept = this.#on.upload("mask", mask ?? new Uint32Array(1));
    this.#on.dispatch(encoder, masks, { logits: buffer, params, 2: kept, 3: into }, this.#on.layout.pieces);
    if (tokens.length > 0) {
      const pairs = new Uint32Array(2 * tokens.length);
      const floats = new Float32Array(pairs.buffer);
      for (const [place, token] of tokens.entries()) {
        pairs[2 * place] = token;
        floats[2 * place + 1] = logits[place] as number;
      }
      const bound = { params, 2: this.#on.upload("pairs", pairs), 3: into };
      this.#on.dispatch(encoder, scatters, bound, Math.ceil(tokens.length / listThreads));
    }
    this.#on.device.queue.submit([encoder.finish()]);
  }

  async #summaryPipelines(type: FloatType) {
    const [summarize, threshold, collect] = await Promise.all([
      this.#pipeline("summarize", type),
      this.#pipeline("threshold", type),
      this.#pipeline("collect", type),
    ]);
    return { summarize, threshold, collect };
  }

  #mostLikely(type: FloatType): Promise<GPUComputePipeline> {
    return this.#on.pipeline("mostLikely", type, mostLikelyShader);
  }

  #pipeline(name: LogitsKernelName, type: FloatType): Promise<GPUComputePipeline> {
    return this.#on.pipeline(name, type, logitsShaderOf);
  }
}
