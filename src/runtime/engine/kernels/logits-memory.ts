/** A pool of GPU buffers for rows of logits and for results that are read back. */

import { bytesOfType, type FloatType } from "../base/float-type.ts";
import { paddedBytes } from "../base/padded.ts";

/** Free buffers of one size and usage. */
class Pool {
  readonly #create: () => GPUBuffer;
  readonly #free: GPUBuffer[] = [];

  constructor(create: () => GPUBuffer) {
    this.#create = create;
  }

  take(): GPUBuffer {
    return this.#free.pop() ?? this.#create();
  }

  give(buffer: GPUBuffer): void {
    this.#free.push(buffer);
  }
}

export class LogitsBufferPool {
  readonly #device: GPUDevice;
  readonly #all = new Set<GPUBuffer>();
  readonly #rows: Record<FloatType, Pool>;
  readonly #staging = new Map<number, Pool>();
  readonly #scratch = new Map<string, GPUBuffer>();

  constructor(device: GPUDevice, vocabularySize: number) {
    this.#device = device;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const rowsOf = (type: FloatType) =>
      new Pool(() => this.#create("logits", paddedBytes(vocabularySize * bytesOfType(type)), usage));
    this.#rows = { float32: rowsOf("float32"), float16: rowsOf("float16") };
  }

  takeRow(type: FloatType): GPUBuffer {
    return this.#rows[type].take();
  }

  giveRow(type: FloatType, buffer: GPUBuffer): void {
    this.#rows[type].give(buffer);
  }

  /** The buffer `name`, reused by every call: calls run one after the other on the device's queue. */
  scratch(name: string, bytes: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const known = this.#scratch.get(name);
    if (known && known.size >= bytes) return known;
    if (known) this.#destroy(known);
    const made = this.#create(name, paddedBytes(bytes), usage);
    this.#scratch.set(name, made);
    return made;
  }

  /** Copies `bytes` of `source` after all submitted work, and passes the copy to `use`. Both offsets are multiples of 4. */
  async read<T>(
    source: GPUBuffer,
    start: number,
    bytes: number,
    use: (copy: ArrayBuffer) => T,
    encoder = this.#device.createCommandEncoder(),
  ): Promise<T> {
    // Powers of two, so that the pool has few sizes.
    const size = 2 ** Math.max(8, Math.ceil(Math.log2(bytes)));
    const pool = this.#stagingOf(size);
    const staging = pool.take();
    encoder.copyBufferToBuffer(source, start, staging, 0, bytes);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ, 0, bytes);
    const result = use(staging.getMappedRange(0, bytes).slice(0));
    staging.unmap();
    pool.give(staging);
    return result;
  }

  #stagingOf(size: number): Pool {
    let pool = this.#staging.get(size);
    if (!pool) {
      const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
      pool = new Pool(() => this.#create("read back", size, usage));
      this.#staging.set(size, pool);
    }
    return pool;
  }

  #create(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.#device.createBuffer({ label, size, usage });
    this.#all.add(buffer);
    return buffer;
  }

  #destroy(buffer: GPUBuffer): void {
    this.#all.delete(buffer);
    buffer.destroy();
  }

  free(): void {
    for (const buffer of this.#all) buffer.destroy();
    this.#all.clear();
  }
}
