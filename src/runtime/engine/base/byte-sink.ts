/** Receives the bytes of a download. */

/** Metadata of a file, as far as it is known. */
export interface FileMetadata {
  /** Size in bytes; null if the server does not say it, or says only the compressed size. */
  readonly size: number | null;
  /** Strong validator (RFC 9110, 8.8.3). */
  readonly etag: string | null;
  /** SHA-256 of the whole file, 64 hex digits. */
  readonly sha256: string | null;
}

export const unknownMetadata: FileMetadata = { size: null, etag: null, sha256: null };

export interface DownloadSink {
  /** Number of bytes received so far, from the file's beginning. */
  readonly length: number;
  /** Metadata of the file whose bytes these are; null before `begin`. */
  readonly metadata: FileMetadata | null;
  /** Drops all bytes and starts to receive this file. @throws RangeError if there is not enough memory */
  begin(metadata: FileMetadata): void | Promise<void>;
  /** @throws RangeError if there is not enough memory */
  append(piece: Uint8Array): void | Promise<void>;
}

/** Collects the bytes in one buffer. If the file's size is known, the buffer has this size from the start. */
export class ByteSink implements DownloadSink {
  #buffer = new Uint8Array(0);
  #length = 0;
  #metadata: FileMetadata | null = null;

  get length(): number {
    return this.#length;
  }

  get metadata(): FileMetadata | null {
    return this.#metadata;
  }

  begin(metadata: FileMetadata): void {
    this.#buffer = new Uint8Array(metadata.size ?? 0);
    this.#length = 0;
    this.#metadata = metadata;
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

  /** All bytes so far. They are copied only if the buffer is larger. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, this.#length);
  }
}
