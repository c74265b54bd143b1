/** The interface of a place that saves traces, responses and mods beyond a request: memory, a folder, a database. Types and limits only. */

/** Traces of ended requests, responses with their input, and mods that came over HTTP or `mods.register`. */
export const storedKinds = ["trace", "response", "mod"] as const;

export type StoredKind = (typeof storedKinds)[number];

/**
 * Entries by their kind and id. Several engines may share a store. Every method rejects with an ApiError, 503, `store_failed`, if
 * the store does not answer. An engine checks the bytes that it reads: a store need not be trusted.
 */
export interface EngineStore {
  /** For messages: without a password. */
  readonly name: string;
  /** Null if there is no such entry, or its time is over. */
  get(kind: StoredKind, id: string): Promise<Uint8Array | null>;
  /** Writes the entry, or replaces it, and drops the oldest entries of the kind beyond the store's limits. */
  set(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void>;
  /** The entry is used again: it counts as the newest, and its time begins anew. */
  touch(kind: StoredKind, id: string): Promise<void>;
  /** False if there was no such entry. */
  delete(kind: StoredKind, id: string): Promise<boolean>;
  /** Ids of the kind, the oldest first. */
  list(kind: StoredKind): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface StoreLimit {
  /** Entries. */
  readonly count: number;
  readonly bytes: number;
}

export type StoreLimits = Readonly<Record<StoredKind, StoreLimit>>;

const megabyte = 1_048_576;

/** No mod is dropped for another one: `registry-limits.ts` refuses mods beyond its own limits. */
export const storeLimits: StoreLimits = {
  trace: { count: 50, bytes: 256 * megabyte },
  response: { count: 200, bytes: 64 * megabyte },
  mod: { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY },
};

export interface StoredEntry {
  readonly id: string;
  readonly bytes: number;
}

/** The oldest entries, whose removal brings the others within the limit. @param entries the oldest first */
export function entriesBeyond(entries: readonly StoredEntry[], limit: StoreLimit): readonly StoredEntry[] {
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const beyond: StoredEntry[] = [];
  for (const [place, entry] of entries.entries()) {
    if (entries.length - place <= limit.count && bytes <= limit.bytes) break;
    beyond.push(entry);
    bytes -= entry.bytes;
  }
  return beyond;
}
