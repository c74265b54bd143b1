/** A decoder graph on WebAssembly. Its caches are in the runtime's heap, and are bound to each pass without a copy. */

import { bytesOfType } from "../base/float-type.ts";
import { float16ToFloat32 } from "../base/float16-arrays.ts";
import { timeStage } from "../base/load-timing.ts";
import { createDecoderCache } from "../decoder-cache/create-decoder-cache.ts";
import type { DecoderCache } from "../decoder-cache/decoder-cache.ts";
import type { SegmentStore } from "../decoder-cache/segment-store.ts";
import { type GraphPass, promptPassTokens, type WasmGraphRunner } from "../graph/graph-runner.ts";
import {
  checkFixedCacheRows,
  type DecoderGraph,
  describeGraph,
  firstRunSizes,
  refusedFirstRunError,
  withoutSteeringInputs,
} from "../onnx/decoder-graph.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { bindSession, type WasmBindings } from "./wasm-bindings.ts";
import { allocate, checkStatusCode } from "./wasm-heap.ts";
import { WasmInputs } from "./wasm-inputs.ts";
import { WasmLayers } from "./wasm-layers.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { openWasmModule, type WasmInstance } from "./wasm-module.ts";
import {
  createTensor,
  createWasmSession,
  elementType,
  releaseWasmSession,
  tensorShapeAndAddress,
  type WasmRunnerOptions,
  type WasmSession,
} from "./wasm-session.ts";

/** @throws UnsupportedGraphError for graphs that do not run; Error with the runtime's message if it refuses the graph. */
export async function createWasmRunner(options: WasmRunnerOptions): Promise<WasmGraphRunner> {
  const { threads } = options;
  const files = [...options.externalData.values(), options.graph, options.layers?.lens.graph];
  const modelBytes = files.reduce((sum, file) => sum + (file?.byteLength ?? 0), 0);
  const instance = await timeStage("instance", () =>
    openWasmModule(threads === undefined ? { modelBytes } : { threads }),
  );
  try {
    const { module } = instance;
    const open = ({ graph, externalData }: Pick<WasmRunnerOptions, "graph" | "externalData">) =>
      timeStage("session", () => createWasmSession(module, graph, externalData));
    // Opened first, so that the graph can reuse the memory in which the output matrix was unpacked.
    const lens = options.layers && (await open(options.layers.lens));
    const session = await open(options);
    const layers = options.layers && lens && new WasmLayers(module, session, lens, options.layers);
    const outputs = [...session.outputs, ...(layers?.logits ?? [])];
    const graph = describeGraph(withoutSteeringInputs(session.inputs, options.layers), outputs, options);
    const runner = new WasmRunner(instance, session, graph, layers);
    await timeStage("probe", () => runner.probe(options.file));
    await runner.grow(Math.min(options.cacheRows, runner.maxCacheRows), 0);
    return runner;
  } catch (error) {
    instance.close();
    throw error;
  }
}

class WasmRunner implements WasmGraphRunner {
  readonly graph: DecoderGraph;
  readonly threads: number;
  readonly threadNote: string;
  readonly lost = null;
  readonly promptPassTokens = promptPassTokens.wasm;
  readonly maxCacheRows: number;
  readonly #instance: WasmInstance;
  readonly #module: OrtWasmModule;
  readonly #session: WasmSession;
  readonly #bindings: WasmBindings;
  readonly layers: WasmLayers | undefined;
  readonly #inputs: WasmInputs;
  /** The index of each input in the list of inputs, by name. */
  readonly #slots: ReadonlyMap<string, number>;
  /** The index of each cache's and each state's input, in the order of `DecoderCache`. */
  readonly #cacheSlots: readonly number[];
  readonly #oneRow: { readonly data: number; readonly tensor: number };
  readonly #cache: DecoderCache<number>;
  #isDisposed = false;

  constructor(instance: WasmInstance, session: WasmSession, graph: DecoderGraph, layers?: WasmLayers) {
    const { module } = instance;
    this.#instance = instance;
    ({ threads: this.threads, threadNote: this.threadNote } = instance);
    this.#module = module;
    this.#session = session;
    this.graph = graph;
    this.maxCacheRows = graph.contextLength;
    this.#slots = new Map(session.inputs.map(({ name }, slot) => [name, slot]));
    this.#cacheSlots = [...graph.caches, ...graph.states].map(({ input }) => this.#slots.get(input) ?? -1);
    const last = layers?.lastOutput ?? "logits";
    this.#bindings = bindSession(module, session, graph, { last, more: layers?.count ?? 0 });
    this.layers = layers;
    const bytes = graph.vocabularySize * bytesOfType(graph.logitsType);
    const row = allocate(module, bytes);
    const dims = [1, 1, graph.vocabularySize];
    this.#oneRow = {
      data: row,
      tensor: createTensor(module, elementType[graph.logitsType], row, bytes, dims),
    };
    this.#inputs = new WasmInputs(module, graph);
    this.#cache = createDecoderCache(graph, new WasmMemory(module));
  }

  /**
   * The first run: one token after a past of zeros, so that a graph that does not run is refused at load.
   * @throws UnsupportedGraphError if the run fails, or if a cache that should have a fixed size does not.
   */
  async probe(file: string): Promise<void> {
    await this.grow(firstRunSizes.rows, 0);
    const hasFixedCache = this.graph.cacheKind === "shared-cache";
    const past = hasFixedCache ? firstRunSizes.mask - 1 : 0;
    try {
      const rows = this.#presentRows(past);
      if (hasFixedCache) checkFixedCacheRows(rows, file);
    } catch (error) {
      throw refusedFirstRunError(error, file, "WebAssembly");
    } finally {
      this.#cache.free();
    }
  }

  /**
   * The number of rows of the first present output, after a run of one token whose mask covers `past` more. The runtime owns
   * the outputs.
   */
  #presentRows(past: number): number {
    const { outputs, cacheCount } = this.#bindings;
    const module = this.#module;
    this.#feed({ tokens: [firstRunSizes.token], start: 0, end: 1, past, rows: 1 });
    this.#setPast(this.#cache.bind(0, 1).past);
    module.HEAPU32.fill(0, outputs >>> 2, (outputs >>> 2) + cacheCount + 1);
    this.#execute(cacheCount + 1);
    const outputTensors = Array.from(
      module.HEAPU32.subarray(outputs >>> 2, (outputs >>> 2) + cacheCount + 1),
    );
    const { dims } = tensorShapeAndAddress(module, outputTensors[0] ?? 0);
    for (const tensor of outputTensors) module._OrtReleaseTensor(tensor);
    return dims[2] ?? 0;
  }

  get cacheRows(): number {
    return this.#cache.rows;
  }

  /** The size of the heap, which belongs to this model only and never shrinks. */
  get memoryBytes(): number {
    return this.#module.HEAPU8.byteLength;
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  cacheBytesAt(rows: number): number {
    return this.#cache.bytesAt(rows);
  }

  async grow(rows: number, keep: number): Promise<void> {
    this.#inputs.grow(rows);
    await this.#cache.grow(rows, keep);
  }

  get segments(): SegmentStore {
    return this.#cache.segments;
  }

  rewind(length: number): number {
    return this.#cache.rewind(length);
  }

  run(pass: GraphPass): Float32Array {
    try {
      return this.#run(pass);
    } catch (error) {
      // After a trap, the state of the runtime's instance is unknown, so it must not be called again.
      if (error instanceof WebAssembly.RuntimeError) {
        this.#isDisposed = true;
        this.#instance.close();
      }
      throw error;
    }
  }

  #run(pass: GraphPass): Float32Array {
    const { outputs, cacheCount } = this.#bindings;
    const { past, start, end } = pass;
    const { past: inputs, present } = this.#cache.bind(past, end - start);
    this.#feed(pass);
    this.#setPast(inputs);
    const heap = this.#module.HEAPU32;
    const outputsAt = outputs >>> 2;
    for (let i = 0; i < cacheCount; i++) heap[outputsAt + i] = present[i] ?? 0;
    const returnsOneRow = pass.rows === 1 && (end - start === 1 || this.graph.rowsToKeepShape !== null);
    const target = returnsOneRow ? this.#oneRow.tensor : 0;
    heap[outputsAt + cacheCount] = this.layers ? 0 : target;
    const layerOutputCount = this.layers?.bind(this.#bindings) ?? 0;
    this.#execute(pass.rows === 0 ? cacheCount : cacheCount + 1 + layerOutputCount);
    // A graph that selects rows, but has no input for their number, computes the last row.
    const selected = this.graph.rowsToKeepShape ? pass.rows : 1;
    if (pass.rows > 0) this.layers?.take(this.#bindings, pass.rows, { selected, target });
    this.#cache.keep(past + end - start);
    this.#inputs.release();
    if (pass.rows === 0) return new Float32Array(0);
    if (returnsOneRow) return this.#read(this.#oneRow.data, 1);
    return this.#readLast(this.#module.HEAPU32[outputsAt + cacheCount] ?? 0, pass.rows);
  }

  #feed(pass: GraphPass): void {
    const setInput = (name: string, tensor: number) => this.#setInput(this.#slots.get(name) ?? -1, tensor);
    this.#inputs.fill(pass, setInput);
    this.layers?.steer(pass.steering, setInput);
  }

  #setPast(tensors: readonly number[]): void {
    for (const [i, slot] of this.#cacheSlots.entries()) this.#setInput(slot, tensors[i] ?? 0);
  }

  #setInput(slot: number, tensor: number): void {
    this.#module.HEAPU32[(this.#bindings.inputs >>> 2) + slot] = tensor;
  }

  #execute(outputCount: number): void {
    const bindings = this.#bindings;
    const code = this.#module._OrtRun(
      this.#session.handle,
      bindings.inputNames,
      bindings.inputs,
      bindings.inputCount,
      bindings.outputNames,
      outputCount,
      bindings.outputs,
      bindings.runOptions,
    );
    // The plain build computes before it returns. Only the WebGPU builds return a promise here.
    if (typeof code !== "number")
      throw new Error("This build of the runtime is asynchronous, but Midtoken needs a synchronous build.");
    checkStatusCode(this.#module, code, "The runtime failed");
  }

  #readLast(tensor: number, rows: number): Float32Array {
    const { dims, data } = tensorShapeAndAddress(this.#module, tensor);
    const rowsWithLogits = dims[1] ?? 0;
    const count = Math.min(rows, rowsWithLogits);
    const rowBytes = this.graph.vocabularySize * bytesOfType(this.graph.logitsType);
    const result = this.#read(data + (rowsWithLogits - count) * rowBytes, count);
    this.#module._OrtReleaseTensor(tensor);
    return result;
  }

  #read(pointer: number, rows: number): Float32Array {
    const buffer = this.#module.HEAPU8.buffer;
    const length = rows * this.graph.vocabularySize;
    if (this.graph.logitsType === "float32") return new Float32Array(buffer, pointer, length).slice();
    return float16ToFloat32(new Uint16Array(buffer, pointer, length));
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const module = this.#module;
    this.#cache.free();
    this.#inputs.free();
    this.layers?.free();
    module._OrtReleaseTensor(this.#oneRow.tensor);
    module._free(this.#oneRow.data);
    const { inputNames, inputs, outputNames, outputs, runOptions } = this.#bindings;
    for (const pointer of [inputNames, inputs, outputNames, outputs]) module._free(pointer);
    module._OrtReleaseRunOptions(runOptions);
    releaseWasmSession(module, this.#session);
    this.#instance.close();
  }
}
