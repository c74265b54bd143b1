/** The record of one cached file of a model: `file.json` beside the file's blocks. */
import { isRecord } from "../../../core/base/record.ts";
import type { FileMetadata } from "../base/byte-sink.ts";

/** Bytes of a block unless the store says otherwise. After a tab is killed, at most one block is downloaded twice; a download holds one block in memory. */
export const defaultBlockBytes = 8 * 2 ** 20;

export interface BlockRecord {
  readonly bytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export interface FileRecord {
  /** Path in the model's folder. */
  readonly path: string;
  /** `begun`: only the first blocks are stored. `missing`: the server said that the file does not exist. */
  readonly state: "begun" | "whole" | "missing";
  /** The server's metadata. For a whole file, size and SHA-256 are those of the stored bytes. */
  readonly facts: FileMetadata;
  /** Bytes of a block. The last block may be shorter. */
  readonly blockBytes: number;
  /** The stored blocks, from the file's beginning on. */
  readonly blocks: readonly BlockRecord[];
}

/** Number of stored bytes. */
export function storedBytesOf({ blocks }: FileRecord): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Null if no version of Midtoken can have written the text: then the file counts as not stored. */
export function parseFileRecord(text: string): FileRecord | null {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value.path !== "string") return null;
  const { path, state, facts, blocks, blockBytes } = value;
  if (state !== "begun" && state !== "whole" && state !== "missing") return null;
  if (!isMetadata(facts) || !isCount(blockBytes) || !Array.isArray(blocks) || !blocks.every(isBlock))
    return null;
  // All blocks except the last are full, so a block's number gives its offset.
  const isFull = ({ bytes }: BlockRecord, i: number) =>
    bytes === blockBytes || (i === blocks.length - 1 && bytes <= blockBytes);
  const record: FileRecord = { path, state, facts, blocks, blockBytes };
  if (!blocks.every(isFull)) return null;
  return state === "whole" && storedBytesOf(record) !== facts.size ? null : record;
}

/** Null for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isHash = (value: unknown) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function isBlock(value: unknown): value is BlockRecord {
  return isRecord(value) && isCount(value.bytes) && isHash(value.sha256);
}

function isMetadata(value: unknown): value is FileMetadata {
  if (!isRecord(value)) return false;
  const { size, etag, sha256 } = value;
  return (
    (size === null || isCount(size)) &&
    (etag === null || typeof etag === "string") &&
    (sha256 === null || isHash(sha256))
  );
}
