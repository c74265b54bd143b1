/** The vectors that this browser keeps, which all of its tabs share. Each is an entry of its own in storage, as mods are. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { type KnownVector, parseKnownVector } from "../../vectors/known-vector.ts";
import { newId } from "../store/new-id.ts";
import { troubleOf } from "../store/persist.ts";
import type { Stores } from "../store/stores.ts";

export interface KeptVector {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly when: number;
  readonly vector: KnownVector;
}

export interface VectorsState {
  /** Newest first. */
  readonly kept: readonly KeptVector[];
  add(vector: KnownVector): KeptVector;
  /** Answers with a function that undoes it. */
  remove(id: string): () => void;
}

const prefix = "midtoken.vector.v1.";

const libraries = new WeakMap<Stores, StoreApi<VectorsState>>();

/** One for a page, made when it is first asked for. */
export function vectorsOf(stores: Stores): StoreApi<VectorsState> {
  const made = libraries.get(stores) ?? createVectorLibrary(stores);
  libraries.set(stores, made);
  return made;
}

function createVectorLibrary({ storages, notices, events }: Stores): StoreApi<VectorsState> {
  const storage = storages.browser;
  const report = troubleOf((message) => notices.getState().show(message));
  const write = ({ id, when, vector }: KeptVector) =>
    report(() => storage.setItem(prefix + id, JSON.stringify({ when, vector })));
  const store = createStore<VectorsState>()((set, get) => {
    const put = (entry: KeptVector) => {
      write(entry);
      set(({ kept }) => ({ kept: sorted([...kept.filter(({ id }) => id !== entry.id), entry]) }));
    };
    return {
      kept: readAll(storage),
      add(vector) {
        const newest = get().kept[0]?.when ?? 0;
        const entry = { id: newId(), when: Math.max(Date.now(), newest + 1), vector };
        put(entry);
        return entry;
      },
      remove(id) {
        const removed = get().kept.find((each) => each.id === id);
        if (!removed) return () => {};
        storage.removeItem(prefix + id);
        set(({ kept }) => ({ kept: kept.filter((each) => each !== removed) }));
        return () => put(removed);
      },
    };
  });
  events.addEventListener("storage", (event) => {
    const { key, storageArea } = event as StorageEvent;
    // Null: everything was cleared.
    if (storageArea === storage && (key === null || key.startsWith(prefix)))
      store.setState({ kept: readAll(storage) });
  });
  return store;
}

function readAll(storage: Storage): readonly KeptVector[] {
  const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place));
  return sorted(
    keys.flatMap((key) =>
      key?.startsWith(prefix) ? readOne(key.slice(prefix.length), storage.getItem(key)) : [],
    ),
  );
}

/** What cannot be read stays where it is, for a newer Midtoken. */
function readOne(id: string, text: string | null): KeptVector[] {
  try {
    const { when, vector } = JSON.parse(text ?? "null") as {
      readonly when: unknown;
      readonly vector: unknown;
    };
    return [{ id, when: typeof when === "number" ? when : 0, vector: parseKnownVector(vector) }];
  } catch {
    return [];
  }
}

const sorted = (kept: readonly KeptVector[]) => kept.toSorted((one, other) => other.when - one.when);
