/** The saved vectors of this browser, which all tabs share. Like a mod, each vector is an entry of its own in storage. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { formatCount } from "../../../core/base/number-text.ts";
import { parseVectorWithMetadata, type VectorWithMetadata } from "../../../core/vectors/known-vector.ts";
import { newId } from "../store/new-id.ts";
import { storageKeysOf } from "../store/set-aside.ts";
import type { Stores } from "../store/stores.ts";

export interface SavedVector {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly when: number;
  readonly vector: VectorWithMetadata;
}

export interface VectorsState {
  /** Newest first. */
  readonly vectors: readonly SavedVector[];
  /** @throws Error if the browser has the most vectors that can be saved. */
  add(vector: VectorWithMetadata): SavedVector;
  /** Returns a function that undoes the removal. */
  remove(id: string): () => void;
}

/** The most vectors that a browser saves. */
export const mostVectors = 1_000;

const prefix = "midtoken.vector.v1.";

const libraries = new WeakMap<Stores, StoreApi<VectorsState>>();

/** The library of a page, made at the first call. */
export function vectorLibraryOf(stores: Stores): StoreApi<VectorsState> {
  const made = libraries.get(stores) ?? createVectorLibrary(stores);
  libraries.set(stores, made);
  return made;
}

function createVectorLibrary({ storages, trouble, events, damage }: Stores): StoreApi<VectorsState> {
  const storage = storages.browser;
  /** Reads all vectors, and reports those that cannot be read. */
  const load = () => {
    const { vectors, others } = readAll(storage);
    damage.getState().report(
      "vectors",
      others.map(({ key, why }) => ({
        id: key,
        label: "Vector",
        why,
        read: async () => `${JSON.stringify({ storageKey: key, why, text: storage.getItem(key) })}\n`,
        async remove() {
          storage.removeItem(key);
          load();
        },
      })),
    );
    return vectors;
  };
  const report = trouble.writer();
  const write = ({ id, when, vector }: SavedVector) =>
    report(() => storage.setItem(prefix + id, JSON.stringify({ when, vector })));
  const store = createStore<VectorsState>()((set, get) => {
    const put = (entry: SavedVector) => {
      write(entry);
      set(({ vectors }) => ({ vectors: sorted([...vectors.filter(({ id }) => id !== entry.id), entry]) }));
    };
    return {
      vectors: load(),
      add(vector) {
        if (get().vectors.length >= mostVectors)
          throw new Error(
            `There are ${formatCount(mostVectors)} vectors, which is the limit: delete vectors that you do not need.`,
          );
        const newest = get().vectors[0]?.when ?? 0;
        const entry = { id: newId(), when: Math.max(Date.now(), newest + 1), vector };
        put(entry);
        return entry;
      },
      remove(id) {
        const removed = get().vectors.find((each) => each.id === id);
        if (!removed) return () => {};
        storage.removeItem(prefix + id);
        set(({ vectors }) => ({ vectors: vectors.filter((each) => each !== removed) }));
        return () => put(removed);
      },
    };
  });
  events.addEventListener("storage", (event) => {
    const { key, storageArea } = event as StorageEvent;
    // A null key means that the whole storage was cleared.
    if (storageArea === storage && (key === null || key.startsWith(prefix)))
      store.setState({ vectors: load() });
  });
  return store;
}

function readAll(storage: Storage) {
  const vectors: SavedVector[] = [];
  const others: { readonly key: string; readonly why: string }[] = [];
  for (const key of storageKeysOf(storage).filter((each) => each.startsWith(prefix))) {
    const read = readOne(key.slice(prefix.length), storage.getItem(key));
    if (!read) others.push({ key, why: "A vector saved in this browser cannot be read." });
    else if (vectors.length < mostVectors) vectors.push(read);
    else
      others.push({
        key,
        why: `A vector was not loaded, because the limit is ${formatCount(mostVectors)} vectors.`,
      });
  }
  return { vectors: sorted(vectors), others };
}

/** Null for an unreadable entry, which stays in storage. */
function readOne(id: string, text: string | null): SavedVector | null {
  try {
    const { when, vector } = JSON.parse(text ?? "null") as {
      readonly when: unknown;
      readonly vector: unknown;
    };
    return { id, when: typeof when === "number" ? when : 0, vector: parseVectorWithMetadata(vector) };
  } catch {
    return null;
  }
}

const sorted = (vectors: readonly SavedVector[]) => vectors.toSorted((one, other) => other.when - one.when);
