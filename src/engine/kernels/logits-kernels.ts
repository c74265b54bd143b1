/** Runs the shaders over rows of logits: what they need is bound, and what they leave is read back. */
import type { RowSummary } from "../../decoder/device-row.ts";
import type { FloatType } from "../decoder-graph.ts";
import { type KernelName, listThreads, pieceGroups, shaderOf } from "./logits-wgsl.ts";
import { fewestListed, mostListed, readSummary, type SummaryLayout, summaryLayout } from "./read-summary.ts";
import type { RowMemory } from "./row-memory.ts";

/** Rows of logits one after the other in a buffer, the first at element `first`. */
export interface RowsAt {
  readonly buffer: GPUBuffer;
  readonly type: FloatType;
  readonly first: number;
}

/** What a summary is asked for. */
export interface SummaryOptions {
  readonly rows: number;
  readonly temperature: number;
  /** For each row a token whose logit comes along; none unless given. */
  readonly asked?: readonly number[];
}

export interface RowResult {
  /** Null where too many tokens reach the threshold. */
  readonly summary: RowSummary | null;
  /** The logit of the token that was asked for. */
  readonly asked: number;
}

/** What a kernel is told; the fields that it does not use are 0. */
interface Told {
  readonly first: number;
  readonly wanted?: number;
  readonly most?: number;
  readonly scale?: number;
}

const noToken = 0xffffffff;

export class LogitsKernels {
  readonly #device: GPUDevice;
  readonly #memory: RowMemory;
  readonly #layout: SummaryLayout;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(device: GPUDevice, memory: RowMemory, vocabularySize: number) {
    this.#device = device;
    this.#memory = memory;
    this.#layout = summaryLayout(vocabularySize);
  }

  /** Compiles what every pass needs. */
  async prepare(type: FloatType): Promise<void> {
    await this.#summaryPipelines(type);
  }

  /** Summaries of `rows` rows. */
  async summarize(
    { buffer, type, first }: RowsAt,
    { rows, temperature, asked = [] }: SummaryOptions,
  ): Promise<RowResult[]> {
    const { pieces, stride } = this.#layout;
    const groups = pieces * pieceGroups;
    const pipelines = await this.#summaryPipelines(type);
    const wanted = Array.from({ length: rows }, (_, row) => asked[row] ?? noToken);
    const params = this.#params({ first, wanted: fewestListed, most: mostListed, scale: 1 / temperature });
    const tops = this.#storage("tops", 4 * groups * rows);
    const result = this.#storage("summary", 4 * stride * rows);
    const askedFor = this.#upload("asked", Uint32Array.from(wanted));
    const bound = { logits: buffer, params, 2: tops, 3: result };
    const encoder = this.#device.createCommandEncoder();
    this.#dispatch(encoder, pipelines.summarize, bound, pieces, rows);
    this.#dispatch(encoder, pipelines.threshold, { params, 2: tops, 3: result }, 1, rows);
    this.#dispatch(encoder, pipelines.collect, { ...bound, 4: askedFor }, pieces, rows);
    return this.#memory.read(
      result,
      0,
      4 * stride * rows,
      (copy) =>
        Array.from({ length: rows }, (_, row) => {
          const words = new Uint32Array(copy, 4 * stride * row, stride);
          const summary = readSummary(words, this.#layout, temperature);
          return { summary, asked: new Float32Array(copy, 4 * (stride * row + 2), 1)[0] as number };
        }),
      encoder,
    );
  }

  /** The logits of these tokens. */
  async gather({ buffer, type, first }: RowsAt, tokens: readonly number[]): Promise<Float32Array> {
    const pipeline = await this.#pipeline("gather", type);
    const params = this.#params({ first, most: tokens.length });
    const asked = this.#upload("asked", Uint32Array.from(tokens));
    const result = this.#storage("gathered", 4 * tokens.length);
    const encoder = this.#device.createCommandEncoder();
    const bound = { logits: buffer, params, 2: asked, 3: result };
    this.#dispatch(encoder, pipeline, bound, Math.ceil(tokens.length / listThreads));
    return this.#memory.read(result, 0, 4 * tokens.length, (copy) => new Float32Array(copy), encoder);
  }

  /** How many logits are at least this large. */
  async countAtLeast({ buffer, type, first }: RowsAt, logit: number): Promise<number> {
    const pipeline = await this.#pipeline("count", type);
    const params = this.#params({ first, wanted: keyOf(logit) });
    const result = this.#storage("counted", 4);
    const encoder = this.#device.createCommandEncoder();
    encoder.clearBuffer(result, 0, 4);
    this.#dispatch(encoder, pipeline, { logits: buffer, params, 3: result }, this.#layout.pieces);
    return this.#memory.read(result, 0, 4, (copy) => new Uint32Array(copy)[0] as number, encoder);
  }

  /** How many tokens of the mask have a logit above -Infinity. */
  async countLeft({ buffer, type, first }: RowsAt, mask: Uint32Array): Promise<number> {
    const pipeline = await this.#pipeline("left", type);
    const params = this.#params({ first });
    const kept = this.#upload("mask", mask);
    const result = this.#storage("counted", 4);
    const encoder = this.#device.createCommandEncoder();
    encoder.clearBuffer(result, 0, 4);
    this.#dispatch(encoder, pipeline, { logits: buffer, params, 2: kept, 3: result }, this.#layout.pieces);
    return this.#memory.read(result, 0, 4, (copy) => new Uint32Array(copy)[0] as number, encoder);
  }

  /** Writes a float32 row into `into`: what the mask keeps (all where it is null), then these tokens' logits. */
  async change(
    { buffer, type, first }: RowsAt,
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
    const encoder = this.#device.createCommandEncoder();
    const params = this.#params({ first, wanted: mask ? 1 : 0, most: tokens.length });
    const kept = this.#upload("mask", mask ?? new Uint32Array(1));
    this.#dispatch(encoder, masks, { logits: buffer, params, 2: kept, 3: into }, this.#layout.pieces);
    if (tokens.length > 0) {
      const pairs = new Uint32Array(2 * tokens.length);
      const floats = new Float32Array(pairs.buffer);
      for (const [place, token] of tokens.entries()) {
        pairs[2 * place] = token;
        floats[2 * place + 1] = logits[place] as number;
      }
      const bound = { params, 2: this.#upload("pairs", pairs), 3: into };
      this.#dispatch(encoder, scatters, bound, Math.ceil(tokens.length / listThreads));
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  async #summaryPipelines(type: FloatType) {
    const [summarize, threshold, collect] = await Promise.all([
      this.#pipeline("summarize", type),
      this.#pipeline("threshold", type),
      this.#pipeline("collect", type),
    ]);
    return { summarize, threshold, collect };
  }

  #pipeline(name: KernelName, type: FloatType): Promise<GPUComputePipeline> {
    const key = `${name} ${type}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const module = this.#device.createShaderModule({ label: key, code: shaderOf(name, type) });
    const made = this.#device.createComputePipelineAsync({
      label: key,
      layout: "auto",
      compute: { module, entryPoint: name },
    });
    this.#pipelines.set(key, made);
    return made;
  }

  #params({ first, wanted = 0, most = 0, scale = 1 }: Told): GPUBuffer {
    const { vocabularySize, pieces, stride } = this.#layout;
    const groups = pieces * pieceGroups;
    const words = Uint32Array.of(vocabularySize, first, pieces, groups, wanted, most, stride, 0);
    new Float32Array(words.buffer)[7] = scale;
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.#memory.scratch("params", words.byteLength, usage);
    this.#device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  #upload(name: string, words: Uint32Array): GPUBuffer {
    const buffer = this.#storage(name, words.byteLength);
    this.#device.queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
    return buffer;
  }

  #storage(name: string, bytes: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.#memory.scratch(name, bytes, usage);
  }

  /** `bound`: the row, the parameters, and other buffers by the number of their binding. */
  #dispatch(
    encoder: GPUCommandEncoder,
    pipeline: GPUComputePipeline,
    { logits, params, ...others }: { logits?: GPUBuffer; params: GPUBuffer; [binding: number]: GPUBuffer },
    groups: number,
    rows = 1,
  ): void {
    const entries = Object.entries({ ...(logits && { 0: logits }), 1: params, ...others });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      this.#device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: entries.map(([binding, buffer]) => ({ binding: Number(binding), resource: { buffer } })),
      }),
    );
    pass.dispatchWorkgroups(groups, rows);
    pass.end();
  }
}

/** The shaders' order of numbers, as theirs in logits-wgsl.ts. */
function keyOf(logit: number): number {
  const bits = new Uint32Array(Float32Array.of(logit === 0 ? 0 : logit).buffer)[0] as number;
  return (bits >>> 31 === 1 ? ~bits : bits | 0x80000000) >>> 0;
}
