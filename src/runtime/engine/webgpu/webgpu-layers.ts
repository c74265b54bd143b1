/** The layers of a graph on WebGPU: steering vectors, hidden states (which stay on the GPU until they are needed), and the lens. */
import type * as Ort from "onnxruntime-web";
import type { SteeringVectors } from "../../../core/decoder/ports/model-layers.ts";
import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { float32ToFloat16 } from "../base/float16-arrays.ts";
import { paddedBytes } from "../base/padded.ts";
import type { WeightFile } from "../files/weight-file.ts";
import { noHiddenStatesError } from "../graph/collected-hidden-states.ts";
import type { GraphLayers, RunnerLayers } from "../graph/graph-runner.ts";
import { lensNames } from "../onnx/lens-graph.ts";
import type { LayerNames } from "../onnx/opened-layers.ts";
import type { WebGpuRuntime } from "../ort/runtime-parts.ts";
import { GpuTensorReader } from "./logits-reader.ts";
import { createWebGpuSession } from "./webgpu-session.ts";

/** @throws Error with the runtime's message if it refuses the lens. */
export async function createGpuLayers(
  runtime: WebGpuRuntime,
  device: GPUDevice,
  layers: GraphLayers<WeightFile>,
): Promise<GpuLayers> {
  const lens = await runtime.mutex.run(() => createWebGpuSession(runtime, layers.lens, device, []));
  return new GpuLayers(runtime, device, lens, layers);
}

interface GpuVector {
  readonly buffer: GPUBuffer;
  readonly tensor: Ort.Tensor;
}

/** Hidden states of one pass: for each of `layers`, `count` rows, one layer after the other. */
interface PassRows {
  readonly buffer: GPUBuffer;
  readonly layers: readonly number[];
  readonly count: number;
}

export class GpuLayers implements RunnerLayers {
  readonly count: number;
  readonly hiddenSize: number;
  readonly #runtime: WebGpuRuntime;
  readonly #device: GPUDevice;
  readonly #lens: Ort.InferenceSession;
  readonly #type: FloatType;
  readonly #layers: readonly LayerNames[];
  readonly #reader: GpuTensorReader;
  readonly #zeros: GpuVector;
  readonly #steering = new Map<number, GpuVector>();
  #steered: SteeringVectors | null = null;
  #feeds: Readonly<Record<string, Ort.Tensor>>;
  #kept: readonly number[] = [];
  #passes: PassRows[] = [];

  constructor(
    runtime: WebGpuRuntime,
    device: GPUDevice,
    lens: Ort.InferenceSession,
    { layers, hiddenSize, type }: GraphLayers<WeightFile>,
  ) {
    this.#runtime = runtime;
    this.#device = device;
    this.#lens = lens;
    this.#type = type;
    this.#layers = layers;
    this.count = layers.length;
    this.hiddenSize = hiddenSize;
    this.#reader = new GpuTensorReader(device, hiddenSize, type);
    // A new WebGPU buffer holds zeros.
    this.#zeros = this.#vector();
    this.#feeds = this.#feedsOf(new Map());
  }

  #vector(): GpuVector {
    const buffer = this.#buffer("steering", this.hiddenSize);
    return { buffer, tensor: this.#tensor(buffer, [this.hiddenSize]) };
  }

  #buffer(label: string, numbers: number): GPUBuffer {
    const size = paddedBytes(numbers * bytesOfType(this.#type));
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.#device.createBuffer({ label, size, usage });
  }

  #tensor(buffer: GPUBuffer, dims: readonly number[]): Ort.Tensor {
    return this.#runtime.ort.Tensor.fromGpuBuffer(buffer, { dataType: this.#type, dims });
  }

  #write(buffer: GPUBuffer, numbers: Float32Array): void {
    if (this.#type === "float32") {
      this.#device.queue.writeBuffer(buffer, 0, new Float32Array(numbers));
      return;
    }
    // A GPU write must be a multiple of 4 bytes.
    const halves = new Uint16Array(2 * Math.ceil(numbers.length / 2));
    halves.set(float32ToFloat16(numbers));
    this.#device.queue.writeBuffer(buffer, 0, halves);
  }

  /** The steering inputs of the next run. */
  feeds(vectors: SteeringVectors = new Map()): Readonly<Record<string, Ort.Tensor>> {
    if (vectors !== this.#steered) this.#feeds = this.#feedsOf(vectors);
    this.#steered = vectors;
    return this.#feeds;
  }

  #feedsOf(vectors: SteeringVectors): Record<string, Ort.Tensor> {
    for (const [layer, vector] of vectors) {
      const known = this.#steering.get(layer) ?? this.#vector();
      this.#steering.set(layer, known);
      this.#write(known.buffer, vector);
    }
    return Object.fromEntries(
      this.#layers.map(({ steering }, i) => {
        const vector = vectors.has(i) ? this.#steering.get(i) : undefined;
        return [steering, (vector ?? this.#zeros).tensor];
      }),
    );
  }

  keep(layers: readonly number[]): void {
    this.#kept = layers;
  }

  /** The outputs that a run must return so that the layers can be read. */
  get fetches(): Record<string, null> {
    return Object.fromEntries(this.#kept.map((layer) => [this.#layers[layer]?.hidden ?? "", null]));
  }

  forget(): void {
    for (const { buffer } of this.#passes) buffer.destroy();
    this.#passes = [];
  }

  /** Stores the last `rows` rows of the outputs in `fetches`. */
  take(outputs: Ort.InferenceSession.OnnxValueMapType, rows: number): void {
    const layers = this.#kept;
    if (layers.length === 0) return;
    const tensors = layers.map((layer) => outputs[this.#layers[layer]?.hidden ?? ""] as Ort.Tensor);
    const rowsWithStates = tensors[0]?.dims[1] ?? 0;
    const count = Math.min(rows, rowsWithStates);
    const rowBytes = this.hiddenSize * bytesOfType(this.#type);
    const buffer = this.#buffer("layers", layers.length * count * this.hiddenSize);
    const encoder = this.#device.createCommandEncoder();
    for (const [i, tensor] of tensors.entries()) {
      const source = tensor.gpuBuffer as GPUBuffer;
      const from = (rowsWithStates - count) * rowBytes;
      const to = i * count * rowBytes;
      encoder.copyBufferToBuffer(source, from, buffer, to, count * rowBytes);
    }
    this.#device.queue.submit([encoder.finish()]);
    for (const tensor of tensors) tensor.dispose();
    this.#passes.push({ buffer, layers, count });
  }

  async hidden(layer: number): Promise<Float32Array> {
    const parts: Float32Array[] = [];
    for (const { buffer, layers, count } of this.#passes) {
      const at = layers.indexOf(layer);
      if (at >= 0) parts.push(await this.#reader.read(buffer, at * count, count));
    }
    if (parts.length === 0) throw noHiddenStatesError(layer);
    return Float32Array.from(parts.flatMap((part) => [...part]));
  }

  lens(rows: Float32Array): Promise<Float32Array> {
    return this.#runtime.mutex.run(async () => {
      const buffer = this.#buffer("hidden states for the lens", rows.length);
      const count = rows.length / this.hiddenSize;
      this.#write(buffer, rows);
      const feeds = { [lensNames.rows]: this.#tensor(buffer, [1, count, this.hiddenSize]) };
      const { [lensNames.logits]: logits } = await this.#lens.run(feeds);
      if (!logits) throw new Error("The runtime returned no logits.");
      const type = logits.type === "float16" ? "float16" : "float32";
      const reader = new GpuTensorReader(this.#device, logits.dims[2] ?? 0, type);
      try {
        return await reader.read(logits.gpuBuffer as GPUBuffer, 0, count);
      } finally {
        reader.free();
        logits.dispose();
        buffer.destroy();
      }
    });
  }

  /** Must be called while nothing else runs. */
  async free(): Promise<void> {
    this.forget();
    this.#reader.free();
    for (const { buffer } of [this.#zeros, ...this.#steering.values()]) buffer.destroy();
    await this.#lens.release();
  }
}
