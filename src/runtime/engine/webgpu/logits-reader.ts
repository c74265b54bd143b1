/** Reads only those rows of logits or hidden states back from the GPU that are needed. */

import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { float16ToFloat32 } from "../base/float16-arrays.ts";

export class GpuTensorReader {
  readonly #device: GPUDevice;
  readonly #width: number;
  readonly #type: FloatType;
  #staging: GPUBuffer | null = null;

  constructor(device: GPUDevice, width: number, type: FloatType) {
    this.#device = device;
    this.#width = width;
    this.#type = type;
  }

  /** Reads `rows` rows of `source`, beginning with row `first`, as float32. */
  async read(source: GPUBuffer, first: number, rows: number): Promise<Float32Array> {
    const element = bytesOfType(this.#type);
    const start = first * this.#width * element;
    const bytes = rows * this.#width * element;
    // Copies must start and end at multiples of 4 bytes, but a row of float16 logits may start between two of them.
    const from = start - (start % 4);
    const length = Math.ceil((start + bytes - from) / 4) * 4;
    const staging = this.#stagingOf(length);
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(source, from, staging, 0, length);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ, 0, length);
    const mapped = staging.getMappedRange(0, length);
    const count = rows * this.#width;
    const logits =
      this.#type === "float32"
        ? new Float32Array(mapped, start - from, count).slice()
        : float16ToFloat32(new Uint16Array(mapped, start - from, count));
    staging.unmap();
    return logits;
  }

  #stagingOf(length: number): GPUBuffer {
    if (this.#staging && this.#staging.size >= length) return this.#staging;
    this.#staging?.destroy();
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    this.#staging = this.#device.createBuffer({ label: "logits", size: length, usage });
    return this.#staging;
  }

  free(): void {
    this.#staging?.destroy();
    this.#staging = null;
  }
}
