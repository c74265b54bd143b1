/** The layers of a graph on WebAssembly: what steers them, their rows, and the lens, in the runtime's heap. */
import type { SteeringVectors } from "../decoder/model-layers.ts";
import { bytesOfType, type FloatType } from "./decoder-graph.ts";
import { float16ToFloat32, float32ToFloat16 } from "./float16.ts";
import type { GraphLayers, RunnerLayers } from "./graph-runner.ts";
import { KeptRows } from "./kept-rows.ts";
import type { LayerNames } from "./onnx/open-layers.ts";
import type { WeightBytes } from "./onnx/tensor.ts";
import type { OrtWasmModule } from "./ort-wasm-module.ts";
import type { WasmBindings } from "./wasm-bindings.ts";
import { allocate, check, silent } from "./wasm-module.ts";
import {
  createTensor,
  createWasmSession,
  elementType,
  releaseWasmSession,
  tensorData,
  type WasmSession,
} from "./wasm-session.ts";

/** @param session of the graph whose layers they are. @throws Error with the runtime's message when it refuses the lens. */
export async function createWasmLayers(
  module: OrtWasmModule,
  session: WasmSession,
  layers: GraphLayers<WeightBytes>,
): Promise<WasmLayers> {
  const lens = await createWasmSession(module, layers.lens.graph, layers.lens.externalData);
  return new WasmLayers(module, session, lens, layers);
}

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
  /** Addresses of the names of the layers' outputs. */
  readonly #outputNames: readonly number[];
  readonly #zeros: HeapRow;
  readonly #steering = new Map<number, HeapRow>();
  #steered: SteeringVectors | null = null;
  readonly #rows = new KeptRows();

  constructor(
    module: OrtWasmModule,
    session: WasmSession,
    lens: WasmSession,
    { layers, hiddenSize, type }: GraphLayers<WeightBytes>,
  ) {
    this.#module = module;
    this.#lens = lens;
    this.#type = type;
    this.#layers = layers;
    this.count = layers.length;
    this.hiddenSize = hiddenSize;
    const names = new Map(
      session.outputs.map(({ name }, i) => [name, session.names[session.inputs.length + i]]),
    );
    this.#outputNames = layers.map(({ hidden }) => names.get(hidden) ?? 0);
    this.#zeros = this.#row();
  }

  /** A row of zeros, as long as the model lives. */
  #row(): HeapRow {
    const bytes = this.hiddenSize * bytesOfType(this.#type);
    const data = allocate(this.#module, bytes);
    this.#module.HEAPU8.fill(0, data, data + bytes);
    return {
      data,
      tensor: createTensor(this.#module, elementType[this.#type], data, bytes, [this.hiddenSize]),
    };
  }

  /** Steers the next run. `set` is told each input and its tensor. */
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

  /** Names the outputs of the layers that are kept, behind the logits. @returns how many. */
  bind({ outputNames, outputs, cacheCount }: WasmBindings): number {
    const heap = this.#module.HEAPU32;
    for (const [i, layer] of this.#rows.layers.entries()) {
      heap[(outputNames >>> 2) + cacheCount + 1 + i] = this.#outputNames[layer] ?? 0;
      heap[(outputs >>> 2) + cacheCount + 1 + i] = 0;
    }
    return this.#rows.layers.length;
  }

  /** Keeps the last `rows` rows of what `bind` named, after the run. */
  take({ outputs, cacheCount }: WasmBindings, rows: number): void {
    const width = this.hiddenSize * bytesOfType(this.#type);
    for (const [i, layer] of this.#rows.layers.entries()) {
      const tensor = this.#module.HEAPU32[(outputs >>> 2) + cacheCount + 1 + i] ?? 0;
      const { dims, data } = tensorData(this.#module, tensor);
      const given = dims.at(-2) ?? 0;
      const count = Math.min(rows, given);
      this.#rows.add(layer, this.#read(data + (given - count) * width, count * this.hiddenSize, this.#type));
      this.#module._OrtReleaseTensor(tensor);
    }
  }

  #read(data: number, length: number, type: FloatType): Float32Array {
    const { buffer } = this.#module.HEAPU8;
    if (type === "float32") return new Float32Array(buffer, data, length).slice();
    return float16ToFloat32(new Uint16Array(buffer, data, length));
  }

  lens(rows: Float32Array): Float32Array {
    const module = this.#module;
    const bytes = rows.length * bytesOfType(this.#type);
    // The row, and what the runtime's run function takes: a name and an address for the input and for the output.
    const data = allocate(module, bytes);
    const table = allocate(module, 16);
    const dims = [1, rows.length / this.hiddenSize, this.hiddenSize];
    const input = createTensor(module, elementType[this.#type], data, bytes, dims);
    const options = module._OrtCreateRunOptions(silent, 0, false, 0);
    try {
      this.#write({ data }, rows);
      module.HEAPU32.set([this.#lens.names[0] ?? 0, input, this.#lens.names[1] ?? 0, 0], table >>> 2);
      const code = module._OrtRun(this.#lens.handle, table, table + 4, 1, table + 8, 1, table + 12, options);
      if (typeof code !== "number")
        throw new Error("This build of the runtime does not compute synchronously.");
      check(module, code, "The runtime failed");
      const logits = module.HEAPU32[(table + 12) >>> 2] ?? 0;
      const { dims, data: at } = tensorData(module, logits);
      const type = this.#lens.outputs[0]?.type === "float16" ? "float16" : "float32";
      const result = this.#read(
        at,
        dims.reduce((product, size) => product * size, 1),
        type,
      );
      module._OrtReleaseTensor(logits);
      return result;
    } finally {
      module._OrtReleaseRunOptions(options);
      module._OrtReleaseTensor(input);
      module._free(table);
      module._free(data);
    }
  }

  free(): void {
    for (const { tensor, data } of [this.#zeros, ...this.#steering.values()]) {
      this.#module._OrtReleaseTensor(tensor);
      this.#module._free(data);
    }
    releaseWasmSession(this.#module, this.#lens);
  }
}
