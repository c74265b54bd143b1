/** A decoder graph on WebGPU: caches in our own buffers, bound as past and present alike; logits stay there until rows are read. */
import type * as Ort from "onnxruntime-web";
import { bytesOfType, type DecoderGraph, describeGraph, UnsupportedOnDeviceError } from "./decoder-graph.ts";
import { GpuCache, padded } from "./gpu-cache.ts";
import { type GraphPass, type GraphRunner, promptPassTokens, type RunnerOptions } from "./graph-runner.ts";
import { LogitsReader } from "./logits-reader.ts";
import { loadWebGpuRuntime, type WebGpuRuntime } from "./runtime.ts";
import { probeOnWebGpu } from "./webgpu-probe.ts";
import type { WeightFile } from "./weight-file.ts";

/**
 * The device becomes the runner's: `dispose` destroys it.
 * @throws UnsupportedGraphError for graph kinds that do not run, or float16 without shader-f16.
 * @throws Error with the runtime's message when it refuses the graph.
 */
export async function createWebGpuRunner(
  options: RunnerOptions<WeightFile>,
  device: GPUDevice,
): Promise<GraphRunner> {
  const runtime = await loadWebGpuRuntime();
  const session = await runtime.mutex.run(() => createSession(runtime, options, device));
  try {
    const { inputMetadata, outputMetadata } = session;
    const graph = describeGraph(
      tensors(inputMetadata),
      tensors(outputMetadata),
      options.config,
      options.file,
    );
    refuseFloat16(graph, device, options.file);
    await runtime.mutex.run(() => probeOnWebGpu(runtime.ort, session, device, graph, options.file));
    const runner = new WebGpuRunner(runtime, session, device, graph);
    await runner.grow(Math.min(options.cacheRows, runner.maxCacheRows), 0);
    return runner;
  } catch (error) {
    await runtime.mutex.run(() => session.release());
    throw error;
  }
}

function createSession(
  { ort }: WebGpuRuntime,
  { graph, externalData }: RunnerOptions<WeightFile>,
  device: GPUDevice,
): Promise<Ort.InferenceSession> {
  return ort.InferenceSession.create(graph, {
    executionProviders: [{ name: "webgpu", device }],
    externalData: [...externalData].map(([path, data]) => ({ path, data })),
    preferredOutputLocation: "gpu-buffer",
    logSeverityLevel: 4,
  });
}

function tensors(metadata: Ort.InferenceSession["inputMetadata"]) {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, shape: value.shape }
      : { name: value.name, type: "not a tensor", shape: [] },
  );
}

function refuseFloat16(graph: DecoderGraph, device: GPUDevice, file: string): void {
  const usesFloat16 = graph.logitsType === "float16" || graph.caches.some(({ type }) => type === "float16");
  if (usesFloat16 && !device.features.has("shader-f16")) {
    throw new UnsupportedOnDeviceError(
      `${file} computes in float16, and this graphics adapter has no shader-f16. Choose a file with float32 activations (q4, fp32) or WebAssembly.`,
    );
  }
}

class WebGpuRunner implements GraphRunner {
  readonly graph: DecoderGraph;
  readonly lost: Promise<Error>;
  readonly maxCacheRows: number;
  readonly promptPassTokens = promptPassTokens.webgpu;
  readonly #runtime: WebGpuRuntime;
  readonly #session: Ort.InferenceSession;
  readonly #device: GPUDevice;
  readonly #cache: GpuCache;
  readonly #reader: LogitsReader;
  /** The logits of passes that give one row, which most do: made once. */
  readonly #oneRow: { readonly buffer: GPUBuffer; readonly tensor: Ort.Tensor };
  /** The inputs of a run. The object is reused from pass to pass; only ids, mask and positions change. */
  readonly #feeds: Record<string, Ort.Tensor> = {};
  readonly #cacheFetches: Record<string, Ort.Tensor | null> = {};
  readonly #oneRowFetches: Record<string, Ort.Tensor | null> = {};
  readonly #logitsFetches: Record<string, Ort.Tensor | null> = {};
  #ones = new BigInt64Array(0);
  #gpuError: Error | null = null;
  #disposed = false;

  constructor(runtime: WebGpuRuntime, session: Ort.InferenceSession, device: GPUDevice, graph: DecoderGraph) {
    this.#runtime = runtime;
    this.#session = session;
    this.#device = device;
    this.graph = graph;
    this.#cache = new GpuCache(device, graph.caches);
    this.maxCacheRows = Math.min(graph.contextLength, this.#cache.maxRows);
    this.#reader = new LogitsReader(device, graph.vocabularySize, graph.logitsType);
    this.#oneRow = this.#createOneRow();
    this.lost = device.lost.then(
      ({ message, reason }) =>
        new Error(`The graphics device was lost (${message || reason}); what it held is gone.`),
    );
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#gpuError ??= new Error(`WebGPU reported an error: ${error.message}`);
    });
  }

  #createOneRow(): { buffer: GPUBuffer; tensor: Ort.Tensor } {
    const { vocabularySize, logitsType } = this.graph;
    const buffer = this.#device.createBuffer({
      label: "logits",
      size: padded(vocabularySize * bytesOfType(logitsType)),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    return { buffer, tensor: this.#tensor(buffer, logitsType, [1, 1, vocabularySize]) };
  }

  #tensor(buffer: GPUBuffer, dataType: "float32" | "float16", dims: readonly number[]): Ort.Tensor {
    return this.#runtime.ort.Tensor.fromGpuBuffer(buffer, { dataType, dims });
  }

  get cacheRows(): number {
    return this.#cache.rows;
  }

  async grow(rows: number, keep: number): Promise<void> {
    await this.#cache.grow(rows, keep);
    this.#ones = new BigInt64Array(rows).fill(1n);
    for (const [i, entry] of this.graph.caches.entries()) {
      const buffer = this.#cache.buffers[i];
      if (!buffer) continue;
      const tensor = this.#tensor(buffer, entry.type, [1, entry.heads, rows, entry.headSize]);
      this.#feeds[entry.input] = tensor;
      for (const fetches of [this.#cacheFetches, this.#oneRowFetches, this.#logitsFetches]) {
        fetches[entry.output] = tensor;
      }
    }
    this.#oneRowFetches.logits = this.#oneRow.tensor;
    this.#logitsFetches.logits = null;
  }

  run(pass: GraphPass): Promise<Float32Array> {
    return this.#runtime.mutex.run(async () => {
      this.#feed(pass);
      const logits = await this.#run(pass);
      if (this.#gpuError) throw this.#gpuError;
      return logits;
    });
  }

  #feed({ tokens, start, end, past, rows }: GraphPass): void {
    const count = end - start;
    const { ort } = this.#runtime;
    const int64 = (values: BigInt64Array, dims: readonly number[]) => new ort.Tensor("int64", values, dims);
    const ids = BigInt64Array.from({ length: count }, (_, i) => BigInt(tokens[start + i] as number));
    this.#feeds.input_ids = int64(ids, [1, count]);
    if (this.graph.attentionMask) {
      this.#feeds.attention_mask = int64(this.#ones.subarray(0, past + count), [1, past + count]);
    }
    if (this.graph.positionIds) {
      const positions = BigInt64Array.from({ length: count }, (_, i) => BigInt(past + i));
      this.#feeds.position_ids = int64(positions, [1, count]);
    }
    if (this.graph.rowsToKeepShape) {
      const keep = BigInt64Array.of(BigInt(Math.max(1, rows)));
      this.#feeds.num_logits_to_keep = int64(keep, this.graph.rowsToKeepShape);
    }
  }

  async #run({ start, end, rows }: GraphPass): Promise<Float32Array> {
    if (rows === 0) {
      await this.#session.run(this.#feeds, this.#cacheFetches);
      return new Float32Array(0);
    }
    if (rows === 1 && (end - start === 1 || this.graph.rowsToKeepShape)) {
      await this.#session.run(this.#feeds, this.#oneRowFetches);
      return this.#reader.read(this.#oneRow.buffer, 0, 1);
    }
    const { logits } = await this.#session.run(this.#feeds, this.#logitsFetches);
    if (!logits) throw new Error("The runtime gave no logits.");
    const given = logits.dims[1] ?? 0;
    const count = Math.min(rows, given);
    try {
      return await this.#reader.read(logits.gpuBuffer as GPUBuffer, given - count, count);
    } finally {
      logits.dispose();
    }
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#cache.free();
    this.#reader.free();
    this.#oneRow.buffer.destroy();
    try {
      await this.#runtime.mutex.run(() => this.#session.release());
    } finally {
      this.#device.destroy();
    }
  }
}
