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
  readonly #runner: KernelRunner;

  constructor(runner: KernelRunner) {
    this.#runner = runner;
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
    const { pieces, stride } = this.#runner.layout;
    const groups = pieces * groupsPerPiece;
    const pipelines = await this.#summaryPipelines(type);
    const mostLikely = ids ? await this.#mostLikely(type) : null;
    const askedTokens = Array.from({ length: rows }, (_, row) => asked[row] ?? noToken);
    const params = this.#runner.params({
      first,
      wanted: fewestListed,
      most: mostListed,
      scale: 1 / temperature,
    });
    const tops = this.#runner.storage("tops", 4 * groups * rows);
    const result = this.#runner.storage("summary", 4 * stride * rows);
    const askedBuffer = this.#runner.upload("asked", Uint32Array.from(askedTokens));
    const bindings = { logits: buffer, params, 2: tops, 3: result };
    const encoder = this.#runner.device.createCommandEncoder();
    this.#runner.dispatch(encoder, pipelines.summarize, bindings, pieces, rows);
    this.#runner.dispatch(encoder, pipelines.threshold, { params, 2: tops, 3: result }, 1, rows);
    this.#runner.dispatch(encoder, pipelines.collect, { ...bindings, 4: askedBuffer }, pieces, rows);
    if (ids && mostLikely) this.#runner.dispatch(encoder, mostLikely, { params, 2: result, 3: ids }, 1);
    const results = this.#runner.memory.read(
      result,
      0,
      4 * stride * rows,
      (copy) =>
        Array.from({ length: rows }, (_, row) => {
          const words = new Uint32Array(copy, 4 * stride * row, stride);
          const summary = readLogitsSummary(words, this.#runner.layout, temperature);
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
    const params = this.#runner.params({ first, most: tokens.length });
    const tokenBuffer = this.#runner.upload("asked", Uint32Array.from(tokens));
    const result = this.#runner.storage("gathered", 4 * tokens.length);
    const encoder = this.#runner.device.createCommandEncoder();
    const bindings = { logits: buffer, params, 2: tokenBuffer, 3: result };
    this.#runner.dispatch(encoder, pipeline, bindings, Math.ceil(tokens.length / listThreads));
    return this.#runner.memory.read(result, 0, 4 * tokens.length, (copy) => new Float32Array(copy), encoder);
  }

  /** Counts the mask's tokens whose logit is above -Infinity. */
  async countLeft({ buffer, type, first }: LogitsLocation, mask: Uint32Array): Promise<number> {
    const pipeline = await this.#pipeline("left", type);
    const params = this.#runner.params({ first });
    const maskBuffer = this.#runner.upload("mask", mask);
    const result = this.#runner.storage("counted", 4);
    const encoder = this.#runner.device.createCommandEncoder();
    encoder.clearBuffer(result, 0, 4);
    this.#runner.dispatch(
      encoder,
      pipeline,
      { logits: buffer, params, 2: maskBuffer, 3: result },
      this.#runner.layout.pieces,
    );
    return this.#runner.memory.read(result, 0, 4, (copy) => new Uint32Array(copy)[0] as number, encoder);
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
    const encoder = this.#runner.device.createCommandEncoder();
    const params = this.#runner.params({ first, wanted: mask ? 1 : 0, most: tokens.length });
    const maskBuffer = this.#runner.upload("mask", mask ?? new Uint32Array(1));
    this.#runner.dispatch(
      encoder,
      masks,
      { logits: buffer, params, 2: maskBuffer, 3: into },
      this.#runner.layout.pieces,
    );
    if (tokens.length > 0) {
      const pairs = new Uint32Array(2 * tokens.length);
      const floats = new Float32Array(pairs.buffer);
      for (const [place, token] of tokens.entries()) {
        pairs[2 * place] = token;
        floats[2 * place + 1] = logits[place] as number;
      }
      const bindings = { params, 2: this.#runner.upload("pairs", pairs), 3: into };
      this.#runner.dispatch(encoder, scatters, bindings, Math.ceil(tokens.length / listThreads));
    }
    this.#runner.device.queue.submit([encoder.finish()]);
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
    return this.#runner.pipeline("mostLikely", type, mostLikelyShader);
  }

  #pipeline(name: LogitsKernelName, type: FloatType): Promise<GPUComputePipeline> {
    return this.#runner.pipeline(name, type, logitsShaderOf);
  }
}
