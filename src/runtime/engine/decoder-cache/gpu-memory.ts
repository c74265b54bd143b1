/** Memory for caches on the GPU: a buffer for each block. */
import type * as Ort from "onnxruntime-web";
import type { FloatType } from "../base/float-type.ts";
import { paddedBytes } from "../base/padded.ts";
import type { CopyCommand, DeviceMemory } from "./device-memory.ts";

export class GpuMemory implements DeviceMemory<GPUBuffer, Ort.Tensor> {
  readonly #ort: typeof Ort;
  readonly #device: GPUDevice;

  constructor(ort: typeof Ort, device: GPUDevice) {
    this.#ort = ort;
    this.#device = device;
  }

  get mostBytes(): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.#device.limits;
    return Math.min(maxBufferSize, maxStorageBufferBindingSize);
  }

  async allocate(sizes: readonly number[], tokens: number): Promise<readonly GPUBuffer[]> {
    this.#device.pushErrorScope("out-of-memory");
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffers = sizes.map((size) =>
      this.#device.createBuffer({ label: "decoder cache", size: paddedBytes(size), usage }),
    );
    if (await this.#device.popErrorScope()) {
      this.free(buffers);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      throw new RangeError(
        `The graphics memory has no room for a cache of ${tokens} tokens (${(bytes / 2 ** 20).toFixed(0)} MiB). Shorten the prompt or choose a smaller model.`,
      );
    }
    return buffers;
  }

  /** Devices do not report free memory. An allocation that does not fit fails, without harm. */
  hasRoom(): boolean {
    return true;
  }

  free(blocks: readonly GPUBuffer[]): void {
    for (const block of blocks) block.destroy();
  }

  copy(copies: readonly CopyCommand<GPUBuffer>[]): void {
    const encoder = this.#device.createCommandEncoder();
    for (const { source, from, target, to, bytes } of copies) {
      encoder.copyBufferToBuffer(source, from, target, to, bytes);
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  tensor(block: GPUBuffer, dataType: FloatType, dims: readonly number[]): Ort.Tensor {
    return this.#ort.Tensor.fromGpuBuffer(block, { dataType, dims });
  }

  /** The runtime holds a tensor only during a run. */
  release(): void {}
}
