/**
 * A store in a database, through keyv: Redis or PostgreSQL. Engines of several machines may share it. An engine that makes room
 * deletes only entries that nobody has renewed since it listed them. One gap is left in PostgreSQL, where keyv deletes a value
 * that it reads after its time: an entry that another engine renews in the same moment can be lost.
 */
import type { Keyv } from "keyv";
import {
  type EngineStore,
  entriesBeyond,
  type StoredEntry,
  type StoredKind,
} from "../../api/store/engine-store.ts";
import { storedDataInvalidError, storeFailedError } from "../../api/store/stored-json.ts";
import type { StoreOptions } from "./folder-store.ts";

export interface KeyvConnection {
  /** The store's name in messages, without a password. */
  readonly name: string;
  /** The bytes of entries, as base64. */
  readonly values: Keyv;
  /** The size and the last use of each entry. Small, so that all can be listed. */
  readonly entries: Keyv;
  /** Whether the database itself deletes entries after their time. */
  readonly expires: boolean;
  /** The keys of `entries`. */
  readonly keys: () => AsyncIterable<string>;
  /** Deletes an entry and its value in one step, if the entry was last used at this time. keyv has no such step. */
  readonly dropIfUsedAt: (key: string, usedAt: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Entry extends StoredEntry {
  readonly usedAt: number;
}

/** The most milliseconds to wait for the database. */
const mostWait = 10_000;

export class KeyvStore implements EngineStore {
  readonly name: string;
  readonly #parts: KeyvConnection;
  readonly #options: StoreOptions;

  constructor(parts: KeyvConnection, options: StoreOptions) {
    this.name = parts.name;
    this.#parts = parts;
    this.#options = options;
  }

  get(kind: StoredKind, id: string): Promise<Uint8Array | null> {
    return this.#trying(`read the ${kind} "${id}"`, () => this.#read(kind, id));
  }

  set(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void> {
    return this.#trying(`write the ${kind} "${id}"`, () => this.#write(kind, id, bytes));
  }

  touch(kind: StoredKind, id: string): Promise<void> {
    return this.#trying(`save the time at which the ${kind} "${id}" was last used`, async () => {
      const bytes = await this.#read(kind, id);
      if (bytes) await this.#write(kind, id, bytes);
    });
  }

  delete(kind: StoredKind, id: string): Promise<boolean> {
    return this.#trying(`delete the ${kind} "${id}"`, () => this.#drop(keyOf(kind, id)));
  }

  list(kind: StoredKind): Promise<readonly string[]> {
    return this.#trying(`list its ${kind}s`, async () => {
      const entries = await this.#entriesOf(kind);
      const current = entries.filter((entry) => !this.#isOver(kind, entry));
      return current.map(({ id }) => unescapeId(id.slice(kind.length + 1)));
    });
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  async #read(kind: StoredKind, id: string): Promise<Uint8Array | null> {
    const text: unknown = await this.#parts.values.get(keyOf(kind, id));
    if (text === undefined || text === null) return null;
    const most = this.#options.limits[kind].bytes;
    if (typeof text !== "string" || (text.length * 3) / 4 > most + 2 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
      throw storedDataInvalidError(this, [kind, id], {
        reason: "it is not base64 text of an allowed length.",
      });
    return new Uint8Array(Buffer.from(text, "base64"));
  }

  async #write(kind: StoredKind, id: string, bytes: Uint8Array): Promise<void> {
    const { values, entries, expires } = this.#parts;
    const key = keyOf(kind, id);
    const lifetime = kind === "mod" ? undefined : this.#options.lifetime;
    // The entry is written before its value: an engine that makes room meanwhile then sees that the entry was renewed, and no
    // value is left without an entry if the database goes away. An entry that outlives its value says which values to delete.
    await entries.set(key, { usedAt: Date.now(), bytes: bytes.length }, expires ? lifetime : undefined);
    await values.set(key, Buffer.from(bytes).toString("base64"), lifetime);
    await this.#makeRoom(kind);
  }

  async #drop(key: string): Promise<boolean> {
    await this.#parts.entries.delete(key);
    return this.#parts.values.delete(key);
  }

  async #makeRoom(kind: StoredKind): Promise<void> {
    const entries = await this.#entriesOf(kind);
    const over = entries.filter((entry) => this.#isOver(kind, entry));
    const others = entries.slice(over.length);
    for (const { id, usedAt } of [...over, ...entriesBeyond(others, this.#options.limits[kind])])
      await this.#parts.dropIfUsedAt(id, usedAt);
  }

  #isOver(kind: StoredKind, { usedAt }: Entry): boolean {
    return kind !== "mod" && Date.now() - usedAt > this.#options.lifetime;
  }

  /** Sorted by last use, oldest first. */
  async #entriesOf(kind: StoredKind): Promise<readonly Entry[]> {
    const { entries, keys } = this.#parts;
    // A database may list a key twice while it grows.
    const unique = new Set<string>();
    for await (const key of keys()) if (key.startsWith(`${kind}/`)) unique.add(key);
    const listed = [...unique];
    if (listed.length === 0) return [];
    // Null for an entry that has expired meanwhile; keyv's own iterator would throw.
    const values: readonly unknown[] = await entries.getMany(listed);
    const found = listed.map((key, place) => readEntry(key, values[place])).filter((entry) => entry !== null);
    return found.sort((one, other) => one.usedAt - other.usedAt);
  }

  async #trying<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`it did not answer within ${mostWait / 1_000} s.`);
      timer = setTimeout(reject, mostWait, error);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      throw storeFailedError(this, what, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** PostgreSQL refuses texts with U+0000, which an id of a client may have. */
const keyOf = (kind: StoredKind, id: string): string =>
  `${kind}/${id.replaceAll("%", "%25").replaceAll("\u0000", "%00")}`;

const unescapeId = (id: string): string => id.replaceAll("%00", "\u0000").replaceAll("%25", "%");

/** Null if no engine wrote this entry. */
function readEntry(key: string, value: unknown): Entry | null {
  const { usedAt, bytes } = Object(value) as { readonly usedAt?: unknown; readonly bytes?: unknown };
  if (typeof usedAt !== "number" || typeof bytes !== "number") return null;
  return Number.isFinite(usedAt) && bytes >= 0 ? { id: key, usedAt, bytes } : null;
}
