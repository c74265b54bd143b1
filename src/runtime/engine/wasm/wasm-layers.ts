/**
 * The layers of a graph on WebAssembly: steering vectors, hidden states, and the session for final norm and output matrix
 * (the lens), in the runtime's heap. The graph itself ends with its last layer, so the lens also computes the logits.
 */
import type { SteeringVectors } from "../../../core/decoder/ports/model-layers.ts";
import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { float16ToFloat32, float32ToFloat16 } from "../base/float16-arrays.ts";
import type { WeightBytes } from "../base/weight-bytes.ts";
import { CollectedHiddenStates } from "../graph/collected-hidden-states.ts";
import type { GraphLayers, RunnerLayers } from "../graph/graph-runner.ts";
import type { TensorInfo } from "../onnx/decoder-graph.ts";
import type { LayerNames } from "../onnx/opened-layers.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import type { WasmBindings } from "./wasm-bindings.ts";
import { allocate, checkStatusCode, fatalLogLevel } from "./wasm-heap.ts";
import {
  createTensor,
  elementType,
  releaseWasmSession,
  tensorShapeAndAddress,
  type WasmSession,
} from "./wasm-session.ts";

interface HeapRow {
  readonly data: number;
  readonly tensor: number;
}

export class WasmLayers implements RunnerLayers {
  readonly count: number;
  readonly hiddenSize: number;
  readonly #module: OrtWasmModule;
  readonly #lens: WasmSession;
  readonly #type: FloatType;
  readonly #layers: readonly LayerNames[];
  readonly #selectsRows: boolean;
  readonly #runOptions: number;
  /** Addresses of the names of the layers' outputs. */
  readonly #outputNames: readonly number[];
  readonly #zeros: HeapRow;
  readonly #steering = new Map<number, HeapRow>();
  #steered: SteeringVectors | null = null;
  readonly #rows = new CollectedHiddenStates();

  /** @param session the session of the graph that has these layers */
  constructor(
    module: OrtWasmModule,
    session: WasmSession,
    lens: WasmSession,
    { layers, hiddenSize, selectsRows, type }: GraphLayers<WeightBytes>,
  ) {
    this.#module = module;
    this.#lens = lens;
    this.#type = type;
    this.#layers = layers;
    this.#selectsRows = selectsRows;
    this.#runOptions = module._OrtCreateRunOptions(fatalLogLevel, 0, false, 0);
    this.count = layers.length;
    this.hiddenSize = hiddenSize;
    const names = new Map(
      session.outputs.map(({ name }, i) => [name, session.names[session.inputs.length + i]]),
    );
    this.#outputNames = layers.map(({ hidden }) => names.get(hidden) ?? 0);
    this.#zeros = this.#row();
  }

  /** The logits, described as if they were an output of the graph. */
  get logits(): readonly TensorInfo[] {
    return this.#lens.outputs;
  }

  /** The graph's output from which the logits are computed. */
  get lastOutput(): string {
    return this.#layers.at(-1)?.hidden ?? "";
  }

  /** A row of zeros that lives as long as the model. */
  #row(): HeapRow {
    const bytes = this.hiddenSize * bytesOfType(this.#type);
    const data = allocate(this.#module, bytes);
    this.#module.HEAPU8.fill(0, data, data + bytes);
    return {
      data,
      tensor: createTensor(this.#module, elementType[this.#type], data, bytes, [this.hiddenSize]),
    };
  }

  /** Steers the next run. Calls `set` with each input's name and tensor. */
  steer(vectors: SteeringVectors | undefined, set: (name: string, tensor: number) => void): void {
    const wanted = vectors ?? null;
    if (wanted === this.#steered && wanted !== null) return;
    this.#steered = wanted;
    for (const [i, { steering }] of this.#layers.entries()) {
      const vector = wanted?.get(i);
      if (vector) this.#write(this.#steeringRow(i), vector);
      set(steering, (vector ? this.#steeringRow(i) : this.#zeros).tensor);
    }
  }

  #steeringRow(layer: number): HeapRow {
    const row = this.#steering.get(layer) ?? this.#row();
    this.#steering.set(layer, row);
    return row;
  }

  #write({ data }: Pick<HeapRow, "data">, numbers: Float32Array): void {
    const { buffer } = this.#module.HEAPU8;
    if (this.#type === "float32") new Float32Array(buffer, data, numbers.length).set(numbers);
    else new Uint16Array(buffer, data, numbers.length).set(float32ToFloat16(numbers));
  }

  keep(layers: readonly number[]): void {
    this.#rows.keep(layers);
  }

  forget(): void {
    this.#rows.forget();
  }

  hidden(layer: number): Float32Array {
    return this.#rows.of(layer);
  }

  /** Names the outputs of the layers to read. They follow the output of the last layer, which is always bound. @returns their number */
  bind({ outputNames, outputs, cacheCount }: WasmBindings): number {
    const heap = this.#module.HEAPU32;
    for (const [i, layer] of this.#innerRows.entries()) {
      heap[(outputNames >>> 2) + cacheCount + 1 + i] = this.#outputNames[layer] ?? 0;
      heap[(outputs >>> 2) + cacheCount + 1 + i] = 0;
    }
    return this.#innerRows.length;
  }

  get #innerRows(): readonly number[] {
    return this.#rows.layers.filter((layer) => layer < this.count - 1);
  }

  /**
   * Called after the run. Stores the last `rows` rows of the outputs that `bind` named, and replaces the last layer's output
   * with logits: of all its rows, or of the last `selected` rows if the graph would select rows.
   * @param target a tensor for one row of logits, or 0
   */
  take(
    { outputs, cacheCount }: WasmBindings,
    rows: number,
    { selected, target }: { readonly selected: number; readonly target: number },
  ): void {
    const heap = this.#module.HEAPU32;
    const at = (outputs >>> 2) + cacheCount;
    for (const [i, layer] of this.#innerRows.entries()) {
      const tensor = heap[at + 1 + i] ?? 0;
      this.#keepRows(layer, tensor, rows);
      this.#module._OrtReleaseTensor(tensor);
    }
    const last = heap[at] ?? 0;
    if (this.#rows.layers.includes(this.count - 1)) this.#keepRows(this.count - 1, last, rows);
    const { data, count } = this.#lastRows(last, this.#selectsRows ? selected : Number.POSITIVE_INFINITY);
    const logits = this.#compute(data, count, count === 1 ? target : 0);
    this.#module._OrtReleaseTensor(last);
    this.#module.HEAPU32[at] = logits;
  }

  #keepRows(layer: number, tensor: number, rows: number): void {
    const { data, count } = this.#lastRows(tensor, rows);
    this.#rows.add(layer, this.#read(data, count * this.hiddenSize, this.#type));
  }

  #lastRows(tensor: number, rows: number): { readonly data: number; readonly count: number } {
    const { dims, data } = tensorShapeAndAddress(this.#module, tensor);
    const given = dims.at(-2) ?? 0;
    const count = Math.min(rows, given);
    const width = this.hiddenSize * bytesOfType(this.#type);
    return { data: data + (given - count) * width, count };
  }

  #read(data: number, length: number, type: FloatType): Float32Array {
    const { buffer } = this.#module.HEAPU8;
    if (type === "float32") return new Float32Array(buffer, data, length).slice();
    return float16ToFloat32(new Uint16Array(buffer, data, length));
  }

  lens(rows: Float32Array): Float32Array {
    const module = this.#module;
    const data = allocate(module, rows.length * bytesOfType(this.#type));
    try {
      this.#write({ data }, rows);
      const logits = this.#compute(data, rows.length / this.hiddenSize, 0);
      const { dims, data: at } = tensorShapeAndAddress(module, logits);
      const type = this.#lens.outputs[0]?.type === "float16" ? "float16" : "float32";
      const length = dims.reduce((product, size) => product * size, 1);
      const result = this.#read(at, length, type);
      module._OrtReleaseTensor(logits);
      return result;
    } finally {
      module._free(data);
    }
  }

  /** Runs the lens over rows in the heap. @param target a tensor for the logits; 0 for a tensor of the runtime's own. @returns the logits' tensor */
  #compute(data: number, rows: number, target: number): number {
    const module = this.#module;
    const bytes = rows * this.hiddenSize * bytesOfType(this.#type);
    const input = createTensor(module, elementType[this.#type], data, bytes, [1, rows, this.hiddenSize]);
    // The arguments of the runtime's run function: a name and an address for the input, and for the output.
    const table = allocate(module, 16);
    try {
      module.HEAPU32.set([this.#lens.names[0] ?? 0, input, this.#lens.names[1] ?? 0, target], table >>> 2);
      const code = module._OrtRun(
        ...[this.#lens.handle, table, table + 4, 1, table + 8, 1, table + 12, this.#runOptions],
      );
      if (typeof code !== "number")
        throw new Error("This build of the runtime is asynchronous, but Midtoken needs a synchronous build.");
      checkStatusCode(module, code, "The runtime failed");
      return module.HEAPU32[(table + 12) >>> 2] ?? 0;
    } finally {
      module._OrtReleaseTensor(input);
      module._free(table);
    }
  }

  free(): void {
    for (const { tensor, data } of [this.#zeros, ...this.#steering.values()]) {
      this.#module._OrtReleaseTensor(tensor);
      this.#module._free(data);
    }
    this.#module._OrtReleaseRunOptions(this.#runOptions);
    releaseWasmSession(this.#module, this.#lens);
  }
}
