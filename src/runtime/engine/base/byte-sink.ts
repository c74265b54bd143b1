/** Where the bytes of a download go. */

/** Metadata of a file, as far as it is known. */
export interface FileMetadata {
  /** Bytes; null when the server does not say, or says the compressed size. */
  readonly size: number | null;
  /** Strong validator (RFC 9110, 8.8.3). */
  readonly etag: string | null;
  /** SHA-256 of the whole file, 64 hex digits. */
  readonly sha256: string | null;
}

export const unknownMetadata: FileMetadata = { size: null, etag: null, sha256: null };

export interface DownloadSink {
  /** Bytes from the file's beginning that are there. */
  readonly length: number;
  /** The file that they belong to; null before it was begun. */
  readonly facts: FileMetadata | null;
  /** Drops the bytes so far and begins with this file. @throws RangeError if there is not enough memory */
  begin(facts: FileMetadata): void | Promise<void>;
  /** @throws RangeError when the memory is not to be had. */
  append(piece: Uint8Array): void | Promise<void>;
}

/** Bytes in one buffer, which has the right size from the start when the size is known. */
export class ByteSink implements DownloadSink {
  #buffer = new Uint8Array(0);
  #length = 0;
  #facts: FileMetadata | null = null;

  get length(): number {
    return this.#length;
  }

  get facts(): FileMetadata | null {
    return this.#facts;
  }

  begin(facts: FileMetadata): void {
    this.#buffer = new Uint8Array(facts.size ?? 0);
    this.#length = 0;
    this.#facts = facts;
  }

  append(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, Math.ceil(this.#buffer.length * 1.5), 65_536));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
  }

  /** All bytes so far. They are copied only when the buffer is larger than they are. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, this.#length);
  }
}
