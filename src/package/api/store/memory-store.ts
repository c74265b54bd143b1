/** A store in memory, for one engine or several engines of one program. */
import {
  type EngineStore,
  entriesBeyond,
  type StoredKind,
  type StoreLimits,
  storedKinds,
  storeLimits,
} from "./engine-store.ts";

/** By id, the oldest first. */
type Entries = Map<string, Uint8Array>;

export class MemoryStore implements EngineStore {
  readonly name = "memory";
  readonly #limits: StoreLimits;
  readonly #kinds: Readonly<Record<StoredKind, Entries>>;

  constructor(limits: StoreLimits = storeLimits) {
    this.#limits = limits;
    const empty = storedKinds.map((kind): [StoredKind, Entries] => [kind, new Map()]);
    this.#kinds = Object.fromEntries(empty) as Record<StoredKind, Entries>;
  }

  async get(kind: StoredKind, id: string): Promise<Uint8Array | null> {
    return this.#kinds[kind].get(id) ?? null;
  }

  async set(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void> {
    const entries = this.#kinds[kind];
    entries.delete(id);
    entries.set(id, bytes);
    const sizes = [...entries].map(([id, { length }]) => ({ id, bytes: length }));
    for (const entry of entriesBeyond(sizes, this.#limits[kind])) entries.delete(entry.id);
  }

  async touch(kind: StoredKind, id: string): Promise<void> {
    const entries = this.#kinds[kind];
    const bytes = entries.get(id);
    if (!bytes) return;
    entries.delete(id);
    entries.set(id, bytes);
  }

  async delete(kind: StoredKind, id: string): Promise<boolean> {
    return this.#kinds[kind].delete(id);
  }

  async list(kind: StoredKind): Promise<readonly string[]> {
    return [...this.#kinds[kind].keys()];
  }

  async close(): Promise<void> {}
}
