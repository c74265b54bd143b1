/** A decoder graph on WebAssembly: caches in the runtime's heap, bound as past and present alike. */
import {
  bytesOfType,
  type DecoderGraph,
  describeGraph,
  probe,
  refusedRun,
  refuseGrowingCache,
  UnsupportedGraphError,
} from "./decoder-graph.ts";
import { float16ToFloat32 } from "./float16.ts";
import { type GraphPass, type GraphRunner, promptPassTokens, type RunnerOptions } from "./graph-runner.ts";
import type { OrtWasmModule } from "./ort-wasm-module.ts";
import { bytesOfId, WasmCache, writeId } from "./wasm-cache.ts";
import { allocate, check, openWasmModule, silent, type WasmInstance } from "./wasm-module.ts";
import {
  createTensor,
  createWasmSession,
  elementType,
  releaseWasmSession,
  tensorData,
  type WasmSession,
} from "./wasm-session.ts";

/** A runner on WebAssembly, with what is to be said of its threads. */
export interface WasmGraphRunner extends GraphRunner, Pick<WasmInstance, "threads" | "threadNote"> {}

/** @throws UnsupportedGraphError for graph kinds that do not run; Error with the runtime's message when it refuses the graph. */
export async function createWasmRunner(options: RunnerOptions): Promise<WasmGraphRunner> {
  const instance = await openWasmModule(options.threads);
  try {
    const session = await createWasmSession(instance.module, options.graph, options.externalData);
    const graph = describeGraph(session.inputs, session.outputs, options.config, options.file);
    return new WasmRunner(instance, session, graph, options);
  } catch (error) {
    instance.close();
    throw error;
  }
}

/** What the runtime's run function takes: arrays of addresses in the heap. */
interface Bindings {
  readonly inputNames: number;
  readonly inputs: number;
  readonly inputCount: number;
  readonly outputNames: number;
  readonly outputs: number;
  /**
   * Number of caches. In `outputs` the caches come first and the logits last, so that a run without logits has one output
   * less.
   */
  readonly cacheCount: number;
  readonly runOptions: number;
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
  readonly #bindings: Bindings;
  readonly #slots: Readonly<Record<"ids" | "mask" | "positions" | "rowsToKeep", number>>;
  readonly #oneRow: { readonly data: number; readonly tensor: number };
  readonly #keep: { readonly data: number; readonly tensor: number } | null;
  readonly #cache: WasmCache;
  #disposed = false;

  constructor(instance: WasmInstance, session: WasmSession, graph: DecoderGraph, options: RunnerOptions) {
    const { module } = instance;
    this.#instance = instance;
    this.threads = instance.threads;
    this.threadNote = instance.threadNote;
    this.#module = module;
    this.#session = session;
    this.graph = graph;
    this.maxCacheRows = graph.contextLength;
    const slot = (name: string) => session.inputs.findIndex((input) => input.name === name);
    this.#slots = {
      ids: slot("input_ids"),
      mask: slot("attention_mask"),
      positions: slot("position_ids"),
      rowsToKeep: slot("num_logits_to_keep"),
    };
    this.#bindings = bind(module, session, graph);
    const bytes = graph.vocabularySize * bytesOfType(graph.logitsType);
    const row = allocate(module, bytes);
    const dims = [1, 1, graph.vocabularySize];
    this.#oneRow = {
      data: row,
      tensor: createTensor(module, elementType[graph.logitsType], row, bytes, dims),
    };
    this.#keep = graph.rowsToKeepShape && this.#scalar(graph.rowsToKeepShape);
    this.#cache = new WasmCache(module, graph.caches);
    this.#probe(options.file);
    this.grow(Math.min(options.cacheRows, this.maxCacheRows), 0);
  }

  /**
   * Tells graph kinds apart by runs of one token over a past of zeros.
   * @throws UnsupportedGraphError for a growing cache, or when no run succeeds.
   */
  #probe(file: string): void {
    this.grow(probe.rows, 0);
    try {
      refuseGrowingCache(this.#presentRows(probe.mask), file);
    } catch (error) {
      // Some graphs with a growing cache fail when the mask is shorter than the past. `#rowsWhenAppending` gives them a
      // mask that fits.
      if (!(error instanceof UnsupportedGraphError))
        refuseGrowingCache(this.#rowsWhenAppending(error, file), file);
      throw error;
    } finally {
      this.#cache.free();
    }
  }

  #rowsWhenAppending(first: unknown, file: string): number {
    try {
      return this.#presentRows(probe.rows + 1);
    } catch {
      throw refusedRun(first, file, "WebAssembly");
    }
  }

  /** Rows of the first present output after one token with a mask of `maskLength`. */
  #presentRows(maskLength: number): number {
    const { outputs, cacheCount } = this.#bindings;
    const module = this.#module;
    const temporary = this.#feed({ tokens: [probe.token], start: 0, end: 1, past: maskLength - 1, rows: 1 });
    module.HEAPU32.fill(0, outputs >>> 2, (outputs >>> 2) + cacheCount + 1);
    try {
      this.#execute(cacheCount + 1);
    } finally {
      for (const tensor of temporary) module._OrtReleaseTensor(tensor);
    }
    const made = Array.from(module.HEAPU32.subarray(outputs >>> 2, (outputs >>> 2) + cacheCount + 1));
    const { dims } = tensorData(module, made[0] ?? 0);
    for (const tensor of made) module._OrtReleaseTensor(tensor);
    return dims[2] ?? 0;
  }

  #scalar(dims: readonly number[]): { data: number; tensor: number } {
    const data = allocate(this.#module, bytesOfId);
    return { data, tensor: createTensor(this.#module, elementType.int64, data, bytesOfId, dims) };
  }

  get cacheRows(): number {
    return this.#cache.rows;
  }

  grow(rows: number, keep: number): void {
    this.#cache.grow(rows, keep);
    for (const [i, { input }] of this.graph.caches.entries()) {
      const slot = this.#session.inputs.findIndex(({ name }) => name === input);
      this.#setInput(slot, this.#cache.tensors[i] ?? 0);
    }
  }

  run(pass: GraphPass): Float32Array {
    try {
      return this.#run(pass);
    } catch (error) {
      // After a trap the runtime's instance is in an unknown state: nobody may call it again.
      if (error instanceof WebAssembly.RuntimeError) {
        this.#disposed = true;
        this.#instance.close();
      }
      throw error;
    }
  }

  #run(pass: GraphPass): Float32Array {
    const { outputs, cacheCount } = this.#bindings;
    const temporary = this.#feed(pass);
    const heap = this.#module.HEAPU32;
    const at = outputs >>> 2;
    for (let i = 0; i < cacheCount; i++) heap[at + i] = this.#cache.tensors[i] ?? 0;
    const single = pass.rows === 1 && (pass.end - pass.start === 1 || this.#keep !== null);
    heap[at + cacheCount] = single ? this.#oneRow.tensor : 0;
    this.#execute(pass.rows === 0 ? cacheCount : cacheCount + 1);
    for (const tensor of temporary) this.#module._OrtReleaseTensor(tensor);
    if (pass.rows === 0) return new Float32Array(0);
    if (single) return this.#read(this.#oneRow.data, 1);
    return this.#readLast(this.#module.HEAPU32[at + cacheCount] ?? 0, pass.rows);
  }

  /** Writes ids, positions and mask into the heap. Returns the tensors that were made for this pass alone. */
  #feed({ tokens, start, end, past, rows }: GraphPass): number[] {
    const count = end - start;
    const temporary: number[] = [];
    for (let i = 0; i < count; i++) {
      this.#setId(this.#cache.ids, i, tokens[start + i] as number);
      this.#setId(this.#cache.positions, i, past + i);
    }
    const make = (data: number, length: number) => {
      const tensor = createTensor(this.#module, elementType.int64, data, length * bytesOfId, [1, length]);
      temporary.push(tensor);
      return tensor;
    };
    this.#setInput(this.#slots.ids, count === 1 ? this.#cache.oneId : make(this.#cache.ids, count));
    if (this.#slots.mask >= 0) this.#setInput(this.#slots.mask, make(this.#cache.mask, past + count));
    if (this.#slots.positions >= 0) {
      this.#setInput(
        this.#slots.positions,
        count === 1 ? this.#cache.onePosition : make(this.#cache.positions, count),
      );
    }
    if (this.#keep) {
      this.#setId(this.#keep.data, 0, Math.max(1, rows));
      this.#setInput(this.#slots.rowsToKeep, this.#keep.tensor);
    }
    return temporary;
  }

  #setId(pointer: number, index: number, value: number): void {
    writeId(this.#module, pointer, index, value);
  }

  #setInput(slot: number, tensor: number): void {
    this.#module.HEAPU32[(this.#bindings.inputs >>> 2) + slot] = tensor;
  }

  #execute(outputCount: number): void {
    const b = this.#bindings;
    const code = this.#module._OrtRun(
      this.#session.handle,
      b.inputNames,
      b.inputs,
      b.inputCount,
      b.outputNames,
      outputCount,
      b.outputs,
      b.runOptions,
    );
    // The plain build computes before it returns. Only the builds with WebGPU return a promise here.
    if (typeof code !== "number")
      throw new Error("This build of the runtime does not compute synchronously.");
    check(this.#module, code, "The runtime failed");
  }

  #readLast(tensor: number, rows: number): Float32Array {
    const { dims, data } = tensorData(this.#module, tensor);
    const given = dims[1] ?? 0;
    const count = Math.min(rows, given);
    const rowBytes = this.graph.vocabularySize * bytesOfType(this.graph.logitsType);
    const result = this.#read(data + (given - count) * rowBytes, count);
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
    if (this.#disposed) return;
    this.#disposed = true;
    const module = this.#module;
    this.#cache.free();
    for (const part of [this.#oneRow, this.#keep]) {
      if (!part) continue;
      module._OrtReleaseTensor(part.tensor);
      module._free(part.data);
    }
    const { inputNames, inputs, outputNames, outputs, runOptions } = this.#bindings;
    for (const pointer of [inputNames, inputs, outputNames, outputs]) module._free(pointer);
    module._OrtReleaseRunOptions(runOptions);
    releaseWasmSession(module, this.#session);
    this.#instance.close();
  }
}

function bind(module: OrtWasmModule, session: WasmSession, graph: DecoderGraph): Bindings {
  const addresses = (values: readonly number[]) => {
    const pointer = allocate(module, 4 * values.length);
    module.HEAPU32.set(values, pointer >>> 2);
    return pointer;
  };
  const outputName = (name: string) =>
    session.names[session.inputs.length + session.outputs.findIndex((output) => output.name === name)] ?? 0;
  const outputs = [...graph.caches.map((cache) => cache.output), "logits"].map(outputName);
  return {
    inputNames: addresses(session.names.slice(0, session.inputs.length)),
    inputs: addresses(session.inputs.map(() => 0)),
    inputCount: session.inputs.length,
    outputNames: addresses(outputs),
    outputs: addresses(outputs.map(() => 0)),
    cacheCount: graph.caches.length,
    runOptions: module._OrtCreateRunOptions(silent, 0, false, 0),
  };
}
