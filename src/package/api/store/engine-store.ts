/** The interface of a store that saves traces, responses and mods beyond a request: in memory, a folder, a database. Types and limits only. */

/** Traces of ended requests, responses with their input, and mods that came over HTTP or `mods.register`. */
export const storedKinds = ["trace", "response", "mod"] as const;

export type StoredKind = (typeof storedKinds)[number];

/**
 * Entries by kind and id. Several engines may share a store. Every method rejects with an ApiError, 503, `store_failed`, if
 * the store does not answer. An engine checks the bytes that it reads, so the store need not be trusted.
 */
export interface EngineStore {
  /** The store's name in messages, without a password. */
  readonly name: string;
  /** Null if there is no such entry, or if it has expired. */
  get(kind: StoredKind, id: string): Promise<Uint8Array | null>;
  /** Writes or replaces the entry, and drops the oldest entries of the kind that exceed the store's limits. */
  set(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void>;
  /** Makes the entry the newest, and restarts its time to live. */
  touch(kind: StoredKind, id: string): Promise<void>;
  /** Returns false if there was no such entry. */
  delete(kind: StoredKind, id: string): Promise<boolean>;
  /** Ids of the kind, the oldest first. */
  list(kind: StoredKind): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface StoreLimit {
  /** Number of entries. */
  readonly count: number;
  readonly bytes: number;
}

export type StoreLimits = Readonly<Record<StoredKind, StoreLimit>>;

const megabyte = 1_048_576;

/** No mod is dropped for another one: `registry-limits.ts` refuses mods above its own limits. */
export const storeLimits: StoreLimits = {
  trace: { count: 50, bytes: 256 * megabyte },
  response: { count: 200, bytes: 64 * megabyte },
  mod: { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY },
};

export interface StoredEntry {
  readonly id: string;
  readonly bytes: number;
}

/** The oldest entries that must be removed so that the rest is within the limit. @param entries the oldest first */
export function entriesBeyond<Entry extends StoredEntry>(
  entries: readonly Entry[],
  limit: StoreLimit,
): readonly Entry[] {
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const beyond: Entry[] = [];
  for (const [place, entry] of entries.entries()) {
    if (entries.length - place <= limit.count && bytes <= limit.bytes) break;
    beyond.push(entry);
    bytes -= entry.bytes;
  }
  return beyond;
}
