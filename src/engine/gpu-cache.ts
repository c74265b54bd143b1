/** Key/value caches as GPU buffers, one per input, bound as past and present alike. */
import { bytesOfType, bytesPerRow, type CacheEntry } from "./decoder-graph.ts";

export class GpuCache {
  rows = 0;
  buffers: readonly GPUBuffer[] = [];
  readonly #device: GPUDevice;
  readonly #entries: readonly CacheEntry[];

  constructor(device: GPUDevice, entries: readonly CacheEntry[]) {
    this.#device = device;
    this.#entries = entries;
  }

  /** Most rows that one buffer may hold. */
  get maxRows(): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.#device.limits;
    const largest = Math.max(...this.#entries.map(bytesPerRow));
    return Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / largest);
  }

  /** Makes room for `rows`, keeping the first `keep`. @throws RangeError when the memory is not there; nothing has changed. */
  async grow(rows: number, keep: number): Promise<void> {
    this.#device.pushErrorScope("out-of-memory");
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffers = this.#entries.map((entry) =>
      this.#device.createBuffer({ label: entry.input, size: padded(rows * bytesPerRow(entry)), usage }),
    );
    if (await this.#device.popErrorScope()) {
      for (const buffer of buffers) buffer.destroy();
      const bytes = this.#entries.reduce((sum, entry) => sum + rows * bytesPerRow(entry), 0);
      throw new RangeError(
        `The graphics memory has no room for a cache of ${rows} tokens (${(bytes / 2 ** 20).toFixed(0)} MiB). Shorten the prompt or choose a smaller model.`,
      );
    }
    if (keep > 0) this.#copy(buffers, rows, keep);
    this.free();
    this.buffers = buffers;
    this.rows = rows;
  }

  #copy(targets: readonly GPUBuffer[], rows: number, keep: number): void {
    const encoder = this.#device.createCommandEncoder();
    for (const [i, entry] of this.#entries.entries()) {
      const [source, target] = [this.buffers[i], targets[i]];
      if (!source || !target) continue;
      const row = entry.headSize * bytesOfType(entry.type);
      for (let head = 0; head < entry.heads; head++) {
        encoder.copyBufferToBuffer(source, head * this.rows * row, target, head * rows * row, keep * row);
      }
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  free(): void {
    for (const buffer of this.buffers) buffer.destroy();
    this.buffers = [];
    this.rows = 0;
  }
}

/** The runtime binds whole multiples of 16 bytes. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
