/** Stores a download block by block while it arrives, so that at most the last block must be downloaded twice. */
import type { DownloadSink, FileMetadata } from "../base/byte-sink.ts";
import type { CachedFile } from "./cached-file.ts";
import type { BlockRecord, FileRecord } from "./file-record.ts";
import { sha256 } from "./sha256.ts";
import { createStreamingSha256, type StreamingHash } from "./streaming-sha256.ts";

/** The cached beginning of a file whose download resumes. */
interface PartialFile {
  readonly facts: FileMetadata;
  readonly blocks: readonly BlockRecord[];
  readonly blockBytes: number;
  readonly hash: StreamingHash;
  /** The bytes of the last block, if it is not full. */
  readonly tail: Uint8Array;
}

/** Size of the first buffer, in bytes, for a file of unknown size. */
const leastBuffer = 65_536;

/** The storage has less free space than a file needs. The message is a sentence. */
export class StorageShortageError extends Error {
  override readonly name = "StorageShortageError";
}

export interface BlockSinkOptions {
  /** Bytes of a block, for a new file. */
  readonly blockBytes: number;
  /** The reason why `bytes` more bytes do not fit; null if they fit. */
  readonly shortage?: (bytes: number) => Promise<string | null>;
  /** Called once when a write fails, or when `shortage` gives a reason. Later bytes stay in memory, unless this function throws. */
  readonly onFull: (cause: unknown) => void;
}

export class BlockSink implements DownloadSink {
  readonly #file: CachedFile;
  readonly #options: BlockSinkOptions;
  #metadata: FileMetadata | null = null;
  #blocks: BlockRecord[] = [];
  /** Blocks that did not fit into the storage; they follow the stored blocks. */
  #unstoredBlocks: Blob[] | null = null;
  #hash: StreamingHash | null = null;
  #blockBytes: number;
  #buffer = new Uint8Array(0);
  #filledBytes = 0;
  #length = 0;

  private constructor(file: CachedFile, options: BlockSinkOptions) {
    this.#file = file;
    this.#options = options;
    this.#blockBytes = options.blockBytes;
  }

  /**
   * Resumes the download of a partly cached file. Reads all of it, because the hash needs it. Drops a damaged block and all
   * blocks after it.
   */
  static async resume(file: CachedFile, options: BlockSinkOptions): Promise<BlockSink> {
    const sink = new BlockSink(file, options);
    const record = await file.record();
    const partial = record?.state === "begun" ? await readPartialFile(file, record) : null;
    if (partial) sink.#continueFrom(partial);
    return sink;
  }

  get length(): number {
    return this.#length;
  }

  get metadata(): FileMetadata | null {
    return this.#metadata;
  }

  /** Whether further bytes are stored; false once the storage refused a write. */
  get isStoring(): boolean {
    return this.#unstoredBlocks === null;
  }

  #continueFrom({ facts, blocks, blockBytes, hash, tail }: PartialFile): void {
    this.#metadata = facts;
    this.#blockBytes = blockBytes;
    this.#blocks = [...blocks];
    this.#hash = hash;
    this.#length = blocks.length * blockBytes + tail.length;
    this.#allocateBuffer();
    this.#buffer.set(tail);
    this.#filledBytes = tail.length;
  }

  /** Allocates memory for the next block; less for a small file. */
  #allocateBuffer(): void {
    const left = (this.#metadata?.size ?? leastBuffer) - this.#blocks.length * this.#blockBytes;
    this.#buffer = new Uint8Array(Math.min(this.#blockBytes, Math.max(leastBuffer, left)));
    this.#filledBytes = 0;
  }

  async begin(metadata: FileMetadata): Promise<void> {
    this.#metadata = metadata;
    this.#blocks = [];
    this.#blockBytes = this.#options.blockBytes;
    this.#length = 0;
    this.#hash = await createStreamingSha256();
    this.#allocateBuffer();
    if (this.#unstoredBlocks !== null) {
      this.#unstoredBlocks = [];
      return;
    }
    const shortage = await this.#options.shortage?.(metadata.size ?? 0);
    if (shortage) return this.#stopStoring(new StorageShortageError(shortage));
    try {
      await this.#file.remove();
      await this.#file.save(this.#record("begun"));
    } catch (cause) {
      this.#stopStoring(cause);
    }
  }

  /** From now on, bytes stay in memory. */
  #stopStoring(cause: unknown): void {
    this.#unstoredBlocks = [];
    this.#options.onFull(cause);
  }

  async append(piece: Uint8Array): Promise<void> {
    this.#hash?.update(piece);
    let remaining = piece;
    while (remaining.length > 0) {
      if (this.#filledBytes === this.#buffer.length) await this.#growOrStore();
      const part = remaining.subarray(0, this.#buffer.length - this.#filledBytes);
      this.#buffer.set(part, this.#filledBytes);
      this.#filledBytes += part.length;
      this.#length += part.length;
      remaining = remaining.subarray(part.length);
    }
    if (this.#filledBytes === this.#blockBytes) await this.#growOrStore();
  }

  /**
   * Stores a full block. If the buffer is smaller than a block, because the file is longer than announced, the buffer grows.
   */
  async #growOrStore(): Promise<void> {
    if (this.#filledBytes < this.#blockBytes) {
      const grown = new Uint8Array(Math.min(this.#blockBytes, this.#buffer.length * 2));
      grown.set(this.#buffer);
      this.#buffer = grown;
      return;
    }
    const content = this.#buffer;
    await this.#store(content);
    this.#filledBytes = 0;
  }

  async #store(content: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#unstoredBlocks === null) {
      try {
        this.#blocks.push(await this.#file.writeBlock(this.#blocks.length, content));
        await this.#file.save(this.#record("begun"));
        return;
      } catch (cause) {
        this.#stopStoring(cause);
      }
    }
    this.#unstoredBlocks?.push(new Blob([content]));
  }

  /** Stores the last, incomplete block too, so that a stopped download resumes at this byte. */
  async storeRest(): Promise<void> {
    if (this.#metadata === null || this.#filledBytes === 0 || this.#unstoredBlocks !== null) return;
    const content = this.#buffer.slice(0, this.#filledBytes);
    try {
      const last = await this.#file.writeBlock(this.#blocks.length, content);
      await this.#file.save({ ...this.#record("begun"), blocks: [...this.#blocks, last] });
    } catch {
      // Some bytes are then lost, and a later download fetches them again.
    }
  }

  /** The SHA-256 of all bytes, 64 hex digits. Called once, after the last byte. */
  digest(): string {
    return this.#hash?.digest() ?? "";
  }

  /** The complete file; it is stored if there was room. */
  async finish(digest: string): Promise<Blob> {
    if (this.#filledBytes > 0) await this.#store(this.#buffer.slice(0, this.#filledBytes));
    this.#filledBytes = 0;
    const whole: FileRecord = {
      ...this.#record("whole"),
      facts: { size: this.#length, etag: this.#metadata?.etag ?? null, sha256: digest },
    };
    const storedPart = await this.#file.open(whole);
    if (!(storedPart instanceof Blob))
      throw new Error(`The saved part of ${this.#file.path} was deleted. Try again.`);
    if (this.#unstoredBlocks === null) await this.#file.save(whole);
    return this.#unstoredBlocks === null ? storedPart : new Blob([storedPart, ...this.#unstoredBlocks]);
  }

  #record(state: FileRecord["state"]): FileRecord {
    const facts = this.#metadata as FileMetadata;
    return { path: this.#file.path, state, facts, blockBytes: this.#blockBytes, blocks: this.#blocks };
  }
}

async function readPartialFile(file: CachedFile, record: FileRecord): Promise<PartialFile> {
  const hash = await createStreamingSha256();
  const blocks: BlockRecord[] = [];
  const { facts, blockBytes } = record;
  for (const [index, expected] of record.blocks.entries()) {
    // If the block is longer than its record says, only the recorded part is used.
    const block = (await file.block(index))?.slice(0, expected.bytes);
    const content = new Uint8Array((await block?.arrayBuffer().catch(() => null)) ?? []);
    if (content.length !== expected.bytes || (await sha256(content)) !== expected.sha256) break;
    hash.update(content);
    if (expected.bytes < blockBytes) return { facts, blocks, blockBytes, hash, tail: content };
    blocks.push(expected);
  }
  return { facts, blocks, blockBytes, hash, tail: new Uint8Array(0) };
}
