/** A decoder graph on WebGPU. Its caches are in our own buffers; logits stay on the GPU until rows are read. */
import type * as Ort from "onnxruntime-web";
import type { ExpectedNext } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import { deviceErrorSentence, rejectWhenLost } from "../base/device-loss.ts";
import { createDecoderCache } from "../decoder-cache/create-decoder-cache.ts";
import type { DecoderCache } from "../decoder-cache/decoder-cache.ts";
import { GpuMemory } from "../decoder-cache/gpu-memory.ts";
import type { SegmentStore } from "../decoder-cache/segment-store.ts";
import type { WeightFile } from "../files/weight-file.ts";
import {
  type GraphPass,
  type GraphRunner,
  promptPassTokens,
  type RunnerOptions,
} from "../graph/graph-runner.ts";
import { fewestLogitsForKernels, GpuLogitsSource } from "../kernels/gpu-logits-source.ts";
import { type DecoderGraph, describeGraph, withoutSteeringInputs } from "../onnx/decoder-graph.ts";
import { loadWebGpuRuntime } from "../ort/runtime.ts";
import type { WebGpuRuntime } from "../ort/runtime-parts.ts";
import { GpuTensorReader } from "./logits-reader.ts";
import { LastTokenLogitsPasses } from "./single-token-passes.ts";
import { createLogitsBuffer, createLogitsTensor, WebGpuFeeds } from "./webgpu-feeds.ts";
import { createGpuLayers, type GpuLayers } from "./webgpu-layers.ts";
import { probeOnWebGpu, requireFloat16 } from "./webgpu-probe.ts";
import { createWebGpuSession, toTensorInfos } from "./webgpu-session.ts";

/**
 * Makes a runner that owns the device: `dispose` destroys it.
 * @throws UnsupportedGraphError for graphs that do not run, or float16 graphs on a device without shader-f16.
 * @throws Error with the runtime's message if it refuses the graph.
 */
export async function createWebGpuRunner(
  options: RunnerOptions<WeightFile>,
  device: GPUDevice,
): Promise<GraphRunner> {
  const runtime = await loadWebGpuRuntime();
  const { rotaryNodes } = options.summary;
  const session = await runtime.mutex.run(() => createWebGpuSession(runtime, options, device, rotaryNodes));
  let layers: GpuLayers | undefined;
  try {
    const { inputMetadata, outputMetadata } = session;
    const inputs = withoutSteeringInputs(toTensorInfos(inputMetadata), options.layers);
    const graph = describeGraph(inputs, toTensorInfos(outputMetadata), options);
    requireFloat16(graph, device, options.file);
    const cache = createDecoderCache(graph, new GpuMemory(runtime.ort, device));
    layers = options.layers && (await createGpuLayers(runtime, device, options.layers));
    const probed = { session, graph, cache, file: options.file, feeds: layers?.feeds() };
    await runtime.mutex.run(() => probeOnWebGpu(runtime.ort, probed));
    const runner = new WebGpuRunner(runtime, session, device, graph, cache, layers);
    if (options.logitsStay && graph.vocabularySize >= fewestLogitsForKernels) await runner.leaveLogits();
    await runner.grow(Math.min(options.cacheRows, runner.maxCacheRows), 0);
    return runner;
  } catch (error) {
    await runtime.mutex.run(() => Promise.all([session.release(), layers?.free()]));
    throw error;
  }
}

class WebGpuRunner implements GraphRunner {
  readonly graph: DecoderGraph;
  readonly lost: Promise<Error>;
  readonly maxCacheRows: number;
  readonly promptPassTokens: number;
  readonly layers: GpuLayers | undefined;
  readonly #runtime: WebGpuRuntime;
  readonly #session: Ort.InferenceSession;
  readonly #device: GPUDevice;
  readonly #cache: DecoderCache<Ort.Tensor>;
  /** Names of the cache's inputs and outputs, in the cache's order. */
  readonly #past: readonly string[];
  readonly #present: readonly string[];
  readonly #reader: GpuTensorReader;
  /** Buffer and tensor for the logits of passes with one row, which most passes are. Made once. */
  readonly #oneRow: { readonly buffer: GPUBuffer; readonly tensor: Ort.Tensor };
  /** The inputs and outputs of a run, reused from pass to pass. */
  readonly #feeds: WebGpuFeeds;
  readonly #cacheFetches: Record<string, Ort.Tensor | null> = {};
  readonly #oneRowFetches: Record<string, Ort.Tensor | null> = {};
  readonly #logitsFetches: Record<string, Ort.Tensor | null> = {};
  /** The source of rows that stay on the device; null if rows are read back. */
  #logitsSource: GpuLogitsSource | null = null;
  #rowPasses: LastTokenLogitsPasses | null = null;
  runRows?: NonNullable<GraphRunner["runRows"]>;
  uploadRow?: NonNullable<GraphRunner["uploadRow"]>;
  #gpuError: Error | null = null;
  #isDisposed = false;

  constructor(
    runtime: WebGpuRuntime,
    session: Ort.InferenceSession,
    device: GPUDevice,
    graph: DecoderGraph,
    cache: DecoderCache<Ort.Tensor>,
    layers: GpuLayers | undefined,
  ) {
    this.#runtime = runtime;
    this.layers = layers;
    this.#session = session;
    this.#device = device;
    this.graph = graph;
    this.#cache = cache;
    this.#feeds = new WebGpuFeeds(runtime.ort, graph);
    const caches = [...graph.caches, ...graph.states];
    this.#past = caches.map(({ input }) => input);
    this.promptPassTokens =
      caches.length > graph.caches.length ? promptPassTokens.webgpuWithStates : promptPassTokens.webgpu;
    this.#present = caches.map(({ output }) => output);
    this.maxCacheRows = Math.min(graph.contextLength, cache.mostRows);
    this.#reader = new GpuTensorReader(device, graph.vocabularySize, graph.logitsType);
    this.#oneRow = createLogitsBuffer(runtime.ort, device, graph);
    this.lost = device.lost.then(
      ({ message, reason }) => new Error(`The graphics device was lost (${message || reason}).`),
    );
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#gpuError ??= new Error(deviceErrorSentence(error));
    });
  }

  /** From now on, rows may stay on the device. */
  async leaveLogits(): Promise<void> {
    const { vocabularySize, logitsType: type } = this.graph;
    const guard = <T>(work: Promise<T>) => this.#guard(work);
    const rows = new GpuLogitsSource({ device: this.#device, vocabularySize, type, guard });
    await rows.prepare();
    this.#logitsSource = rows;
    this.#rowPasses = new LastTokenLogitsPasses(rows, {
      queue: (ids, past, count, logits) => this.#queueRow(ids, past, count, logits),
      keep: (length) => this.#cache.keep(length),
      hasRoom: (length) => length <= this.#cache.rows,
    });
    this.runRows = (pass, temperature, next) => this.#runRows(rows, pass, temperature, next);
    this.uploadRow = (logits, temperature) => this.#guard(rows.upload(logits, temperature));
  }

  /** Awaits `work`. @throws an error that the device reported meanwhile, even if `work` succeeds */
  async #guard<T>(work: Promise<T>): Promise<T> {
    const result = await rejectWhenLost(work, this.lost);
    if (this.#gpuError) throw this.#gpuError;
    return result;
  }

  get cacheRows(): number {
    return this.#cache.rows;
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  cacheBytesAt(rows: number): number {
    return this.#cache.bytesAt(rows);
  }

  grow(rows: number, keep: number): Promise<void> {
    this.#rowPasses?.drop();
    return this.#cache.grow(rows, keep);
  }

  get segments(): SegmentStore {
    return this.#cache.segments;
  }

  rewind(length: number): number {
    this.#rowPasses?.cut(length);
    return this.#cache.rewind(length);
  }

  run(pass: GraphPass): Promise<Float32Array> {
    return this.#runPass(pass, () => this.#run(pass));
  }

  #runPass<T>(pass: GraphPass, run: () => Promise<T>): Promise<T> {
    return this.#runtime.mutex.run(async () => {
      const { tokens, start, end, past, rows } = pass;
      this.#rowPasses?.drop();
      if (this.layers) Object.assign(this.#feeds.inputs, this.layers.feeds(pass.steering));
      this.#bind(tokens.slice(start, end), past, end - start, rows);
      const result = await run();
      if (this.#gpuError) throw this.#gpuError;
      this.#cache.keep(past + end - start);
      return result;
    });
  }

  /** Sets the inputs and outputs of a pass. */
  #bind(ids: readonly number[] | GPUBuffer, past: number, count: number, rows: number): void {
    this.#feeds.set(ids, { past, count, rows, cacheRows: this.#cache.rows });
    const { inputs } = this.#feeds;
    const bound = this.#cache.bind(past, count);
    for (const [i, name] of this.#past.entries()) inputs[name] = bound.past[i] as Ort.Tensor;
    for (const [i, name] of this.#present.entries()) {
      const tensor = bound.present[i] as Ort.Tensor;
      this.#cacheFetches[name] = tensor;
      this.#oneRowFetches[name] = tensor;
      this.#logitsFetches[name] = tensor;
    }
    this.#oneRowFetches.logits = this.#oneRow.tensor;
    this.#logitsFetches.logits = null;
  }

  async #run(pass: GraphPass): Promise<Float32Array> {
    const { rows } = pass;
    if (rows === 0) {
      await this.#session.run(this.#feeds.inputs, this.#cacheFetches);
      // A pass without logits has no read that waits for the device. Without this wait, passes would pile up on the device, and a cancel would take effect after all of them.
      await this.#device.queue.onSubmittedWorkDone();
      return new Float32Array(0);
    }
    if (this.#returnsOneRow(pass)) {
      await this.#runAndTakeLayers(rows, this.#oneRowFetches);
      return this.#reader.read(this.#oneRow.buffer, 0, 1);
    }
    const { logits, given: rowsWithLogits } = await this.#runForLogits(rows);
    const count = Math.min(rows, rowsWithLogits);
    try {
      return await this.#reader.read(logits.gpuBuffer as GPUBuffer, rowsWithLogits - count, count);
    } finally {
      logits.dispose();
    }
  }

  /** Runs the graph with these logits outputs. If layers are read, their last `rows` rows are fetched in the same run and stored. */
  async #runAndTakeLayers(
    rows: number,
    fetches: Record<string, Ort.Tensor | null>,
  ): Promise<Ort.InferenceSession.OnnxValueMapType> {
    const { layers } = this;
    const outputs = await this.#session.run(
      this.#feeds.inputs,
      layers ? { ...fetches, ...layers.fetches } : fetches,
    );
    layers?.take(outputs, rows);
    return outputs;
  }

  /** The logits of the pass, and the number of tokens that have logits. */
  async #runForLogits(rows: number): Promise<{ logits: Ort.Tensor; given: number }> {
    const { logits } = await this.#runAndTakeLayers(rows, this.#logitsFetches);
    if (!logits) throw new Error("The runtime returned no logits.");
    return { logits, given: logits.dims[1] ?? 0 };
  }

  #returnsOneRow({ start, end, rows }: GraphPass): boolean {
    return rows === 1 && (end - start === 1 || this.graph.rowsToKeepShape !== null);
  }

  async #runRows(
    logitsSource: GpuLogitsSource,
    pass: GraphPass,
    temperature: number,
    next?: ExpectedNext,
  ): Promise<readonly ComputedLogits[]> {
    const passes = this.#rowPasses;
    // Layer inputs belong to one pass, so a pass with layers never begins early.
    if (!passes || this.layers || !this.#returnsOneRow(pass))
      return this.#runPass(pass, () => this.#guard(this.#copyRows(logitsSource, pass, temperature)));
    return [await this.#runtime.mutex.run(() => this.#guard(passes.run(pass, temperature, next)))];
  }

  async #queueRow(
    ids: readonly number[] | GPUBuffer,
    past: number,
    count: number,
    buffer: GPUBuffer,
  ): Promise<void> {
    this.#bind(ids, past, count, 1);
    const logits = createLogitsTensor(this.#runtime.ort, buffer, this.graph);
    await this.#session.run(this.#feeds.inputs, { ...this.#oneRowFetches, logits });
  }

  async #copyRows(
    logitsSource: GpuLogitsSource,
    { tokens, end, rows }: GraphPass,
    temperature: number,
  ): Promise<readonly ComputedLogits[]> {
    const { logits, given: rowsWithLogits } = await this.#runForLogits(rows);
    const count = Math.min(rows, rowsWithLogits);
    const options = { rows: count, next: tokens.slice(end - count + 1, end), temperature };
    try {
      return await logitsSource.copyRows(logits.gpuBuffer as GPUBuffer, rowsWithLogits - count, options);
    } finally {
      logits.dispose();
    }
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#cache.free();
    this.#rowPasses?.drop();
    this.#logitsSource?.free();
    this.#reader.free();
    this.#oneRow.buffer.destroy();
    try {
      await this.#runtime.mutex.run(() => Promise.all([this.#session.release(), this.layers?.free()]));
    } finally {
      this.#device.destroy();
    }
  }
}
