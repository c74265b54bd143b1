/** Bytes that arrive in pieces, in one buffer, which has the right size from the start when the size is known. */
export class ByteSink {
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** @throws RangeError when the memory is not to be had. */
  constructor(expectedBytes: number) {
    this.#buffer = new Uint8Array(expectedBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** @throws RangeError when the memory is not to be had. */
  append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, Math.ceil(this.#buffer.length * 1.5), 65_536));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  /** All bytes so far. They are copied only when the buffer is larger than they are. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, this.#length);
  }
}
