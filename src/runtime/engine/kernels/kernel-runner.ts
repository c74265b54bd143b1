/** Runs kernels over logits. Holds their pipelines (each compiled once), parameters and buffers. */
import type { FloatType } from "../base/float-type.ts";
import type { LogitsBufferPool } from "./logits-memory.ts";
import { groupsPerPiece, type SummaryLayout, summaryLayout } from "./summary-layout.ts";

/** Rows of logits, one after the other in a buffer; the first begins at element `first`. */
export interface LogitsLocation {
  readonly buffer: GPUBuffer;
  readonly type: FloatType;
  readonly first: number;
}

/** The parameters of a kernel. Fields that the kernel does not use are 0. */
interface KernelParameters {
  readonly first: number;
  readonly wanted?: number;
  readonly most?: number;
  readonly scale?: number;
}

/**
 * The bindings of a kernel: the logits, the parameters, and other buffers by binding number. They must be exactly those that
 * the shader uses.
 */
interface Bound {
  readonly logits?: GPUBuffer;
  readonly params?: GPUBuffer;
  readonly [binding: number]: GPUBuffer;
}

export class KernelRunner {
  readonly device: GPUDevice;
  readonly memory: LogitsBufferPool;
  readonly layout: SummaryLayout;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(device: GPUDevice, memory: LogitsBufferPool, vocabularySize: number) {
    this.device = device;
    this.memory = memory;
    this.layout = summaryLayout(vocabularySize);
  }

  /**
   * The pipeline of a kernel for logits of this type. `shaderOf` returns its source; its entry point has the kernel's name.
   */
  pipeline<Name extends string>(
    name: Name,
    type: FloatType,
    shaderOf: (name: Name, type: FloatType) => string,
  ): Promise<GPUComputePipeline> {
    const key = `${name} ${type}`;
    const existing = this.#pipelines.get(key);
    if (existing) return existing;
    const module = this.device.createShaderModule({ label: key, code: shaderOf(name, type) });
    const pipeline = this.device.createComputePipelineAsync({
      label: key,
      layout: "auto",
      compute: { module, entryPoint: name },
    });
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }

  params({ first, wanted = 0, most = 0, scale = 1 }: KernelParameters): GPUBuffer {
    const { vocabularySize, pieces, stride } = this.layout;
    const groups = pieces * groupsPerPiece;
    const words = Uint32Array.of(vocabularySize, first, pieces, groups, wanted, most, stride, 0);
    new Float32Array(words.buffer)[7] = scale;
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.memory.scratch("params", words.byteLength, usage);
    this.device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  upload(name: string, words: Uint32Array): GPUBuffer {
    const buffer = this.storage(name, words.byteLength);
    this.device.queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
    return buffer;
  }

  storage(name: string, bytes: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.memory.scratch(name, bytes, usage);
  }

  dispatch(
    encoder: GPUCommandEncoder,
    pipeline: GPUComputePipeline,
    { logits, params, ...others }: Bound,
    groups: number,
    rows = 1,
  ): void {
    const entries = Object.entries({ ...(logits && { 0: logits }), ...(params && { 1: params }), ...others });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      this.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: entries.map(([binding, buffer]) => ({ binding: Number(binding), resource: { buffer } })),
      }),
    );
    pass.dispatchWorkgroups(groups, rows);
    pass.end();
  }
}
