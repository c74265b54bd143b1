/** One file of a model in the store: a record, and each block as a separate file. */

import { type BlockRecord, type FileRecord, parseFileRecord } from "./file-record.ts";
import type { FileTree } from "./file-tree.ts";
import { sha256 } from "./sha256.ts";
import { joinBlobs } from "./sync-files.ts";

export class CachedFile {
  readonly path: string;
  readonly #tree: FileTree;
  /** The folder with record and blocks. */
  readonly #place: string;
  /** Awaited before a record is saved. */
  readonly #prepare: () => Promise<void>;

  constructor(tree: FileTree, place: string, path: string, prepare: () => Promise<void> = async () => {}) {
    this.#tree = tree;
    this.#place = place;
    this.#prepare = prepare;
    this.path = path;
  }

  /** Null if nothing is stored, or if the record is invalid. */
  async record(): Promise<FileRecord | null> {
    const text = await this.#tree.read(`${this.#place}/file.json`);
    const record = text && parseFileRecord(await text.text());
    return record?.path === this.path ? record : null;
  }

  async save(record: FileRecord): Promise<void> {
    await this.#prepare();
    await this.#tree.write(`${this.#place}/file.json`, new TextEncoder().encode(JSON.stringify(record)));
  }

  /** A stored block, whose bytes are not checked; null if there is none. */
  block(index: number): Promise<Blob | null> {
    return this.#tree.read(this.#blockPath(index));
  }

  async writeBlock(index: number, content: Uint8Array<ArrayBuffer>): Promise<BlockRecord> {
    await this.#tree.write(this.#blockPath(index), content);
    return { bytes: content.length, sha256: await sha256(content) };
  }

  remove(): Promise<void> {
    return this.#tree.remove(this.#place);
  }

  /**
   * Joins a record's blocks into one Blob, without reading them.
   * @returns the numbers of missing blocks, and of blocks with another size, if there are any.
   */
  async open({ blocks }: FileRecord): Promise<Blob | readonly number[]> {
    const found = await Promise.all(blocks.map((_, index) => this.block(index)));
    const wrong = blocks.flatMap(({ bytes }, index) => (found[index]?.size === bytes ? [] : [index]));
    return wrong.length > 0 ? wrong : joinBlobs(found as Blob[]);
  }

  /** Numbers of the damaged blocks. Reads all blocks, and passes the bytes of each to `onRead`. @throws the signal's reason */
  async wrongBlocks(
    { blocks }: FileRecord,
    { signal, onRead }: { readonly signal?: AbortSignal | undefined; onRead?(bytes: number): void } = {},
  ): Promise<readonly number[]> {
    const wrong: number[] = [];
    for (const [index, expected] of blocks.entries()) {
      signal?.throwIfAborted();
      const block = await this.block(index);
      const isRight = block?.size === expected.bytes && (await this.#hashOf(block)) === expected.sha256;
      if (!isRight) wrong.push(index);
      onRead?.(expected.bytes);
    }
    return wrong;
  }

  async #hashOf(block: Blob): Promise<string | null> {
    // Reading fails on a damaged disk.
    const content = await block.arrayBuffer().catch(() => null);
    return content && sha256(new Uint8Array(content));
  }

  #blockPath(index: number): string {
    return `${this.#place}/${String(index).padStart(6, "0")}`;
  }
}

/** Offsets of a block's first and last byte in its file. */
export function blockRange(
  index: number,
  { blocks, blockBytes }: FileRecord,
): { start: number; end: number } {
  const start = index * blockBytes;
  return { start, end: start + (blocks[index]?.bytes ?? 0) - 1 };
}
