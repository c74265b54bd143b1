/** Makes rows of logits that stay on the GPU, with their summaries, of the logits that a pass computed. */
import type { DeviceLogits } from "../../../core/decoder/ports/device-logits.ts";
import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { TokenDrawKernels } from "./draw-kernels.ts";
import { GpuBufferLogits, type LogitsResources, readLogits } from "./gpu-buffer-logits.ts";
import { KernelRunner } from "./kernel-runner.ts";
import { LogitsKernels, type LogitsResult } from "./logits-kernels.ts";
import { LogitsBufferPool } from "./logits-memory.ts";

/**
 * Rows with fewer logits are read back whole, because reading 64 KB takes less time than the kernels. The kernels also need
 * this many: a row must have more groups (see logits-wgsl.ts) than listed tokens.
 */
export const fewestLogitsForKernels = 16_384;

export interface GpuLogitsOptions {
  readonly device: GPUDevice;
  readonly vocabularySize: number;
  /** The type of the logits that the graph computes. */
  readonly type: FloatType;
  /** See LogitsDevice. */
  guard<T>(work: Promise<T>): Promise<T>;
}

export class GpuLogitsSource {
  readonly #device: GPUDevice;
  readonly #type: FloatType;
  readonly #on: LogitsResources;
  /** The buffer in which a kernel writes the token that the next pass reads. Passes and kernels run one after the other on the device's queue, so one buffer is enough. */
  readonly nextToken: GPUBuffer;

  constructor({ device, vocabularySize, type, guard }: GpuLogitsOptions) {
    this.#device = device;
    this.#type = type;
    const memory = new LogitsBufferPool(device, vocabularySize);
    const runner = new KernelRunner(device, memory, vocabularySize);
    const kernels = new LogitsKernels(runner);
    const draws = new TokenDrawKernels(runner);
    this.nextToken = runner.storage("next token id", 16);
    this.#on = { vocabularySize, memory, kernels, draws, guard };
  }

  /** Compiles the kernels that every pass needs. */
  prepare(): Promise<void> {
    return this.#on.kernels.prepare(this.#type);
  }

  /** A buffer into which the graph writes one row of logits; for `beginRow`. */
  takeBuffer(): GPUBuffer {
    return this.#on.memory.takeRow(this.#type);
  }

  /**
   * Queues the kernels for the row in a buffer that was taken; from then on the buffer is the row's.
   * @param ids `nextToken` if the pass may be followed by a pass over the most likely token
   * @returns a `result` once the kernels are queued. It resolves with the row, and with the token that the device wrote into `ids`
   *   (null if no logit is finite; meaningless without `ids`).
   */
  async beginRow(buffer: GPUBuffer, temperature: number, ids?: GPUBuffer) {
    const at = { buffer, type: this.#type, first: 0 };
    const { results } = await this.#on.kernels.begin(at, { rows: 1, temperature, ids });
    const result = results.then(async ([logitsResult]) => ({
      row: await this.#rowOf(buffer, this.#type, logitsResult, false),
      mostLikely: logitsResult?.mostLikely ?? null,
    }));
    // If the device fails while nobody waits for the result, the failure must not count as unhandled.
    result.catch(() => undefined);
    return { result };
  }

  /**
   * Copies rows out of a buffer that will soon be freed. `first`: index of the first row. `next`: for each row, the token
   * that was read after it.
   */
  async copyRows(
    source: GPUBuffer,
    first: number,
    { rows, next, temperature }: { rows: number; next: readonly number[]; temperature: number },
  ): Promise<(DeviceLogits | Float32Array)[]> {
    const { vocabularySize, memory, kernels } = this.#on;
    const bytes = vocabularySize * bytesOfType(this.#type);
    // GPU copies need multiples of 4 bytes. Float16 rows of an odd length do not have them, so they are read back.
    if (bytes % 4 !== 0) {
      return Promise.all(
        Array.from({ length: rows }, (_, row) =>
          readLogits(memory, source, this.#type, (first + row) * vocabularySize, vocabularySize),
        ),
      );
    }
    const at = { buffer: source, type: this.#type, first: first * vocabularySize };
    const buffers = Array.from({ length: rows }, () => this.takeBuffer());
    const encoder = this.#device.createCommandEncoder();
    for (const [row, buffer] of buffers.entries()) {
      encoder.copyBufferToBuffer(source, (first + row) * bytes, buffer, 0, bytes);
    }
    this.#device.queue.submit([encoder.finish()]);
    const results = await kernels.summarize(at, { rows, temperature, asked: next });
    return Promise.all(
      buffers.map((buffer, row) => this.#rowOf(buffer, this.#type, results[row], row < next.length)),
    );
  }

  /** Uploads a row of logits from JavaScript to the device. */
  async upload(logits: Float32Array, temperature: number): Promise<DeviceLogits | Float32Array> {
    const buffer = this.#on.memory.takeRow("float32");
    this.#device.queue.writeBuffer(buffer, 0, logits as Float32Array<ArrayBuffer>);
    return this.#whole(buffer, "float32", temperature);
  }

  async #whole(
    buffer: GPUBuffer,
    type: FloatType,
    temperature: number,
  ): Promise<DeviceLogits | Float32Array> {
    const [result] = await this.#on.kernels.summarize({ buffer, type, first: 0 }, { rows: 1, temperature });
    return this.#rowOf(buffer, type, result, false);
  }

  async #rowOf(
    buffer: GPUBuffer,
    type: FloatType,
    result: LogitsResult | undefined,
    hasNext: boolean,
  ): Promise<DeviceLogits | Float32Array> {
    const summary = result?.summary;
    if (summary) {
      return new GpuBufferLogits(this.#on, buffer, type, {
        summary,
        nextLogit: hasNext ? result.asked : null,
      });
    }
    const { memory, vocabularySize } = this.#on;
    const logits = await readLogits(memory, buffer, type, 0, vocabularySize);
    memory.giveRow(type, buffer);
    return logits;
  }

  free(): void {
    this.#on.memory.free();
  }
}
