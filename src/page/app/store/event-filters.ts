/**
 * The saved filters of the event list: one entry of `localStorage` for all tabs. Each change first reads the entry again, so that
 * filters which another tab saved meanwhile stay.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { maxFilterLength, maxFilterNameLength } from "../../../view/timeline/events/filter-limits.ts";
import { asRecord, asString } from "./persist.ts";
import { parseStoredText } from "./read-stored-text.ts";
import { setTextAside } from "./set-aside.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";
import type { Undo } from "./take-back.ts";

export interface SavedEventFilter {
  readonly name: string;
  readonly filter: string;
}

export interface SavedFiltersState {
  /** By name. */
  readonly list: readonly SavedEventFilter[];
  /** Saves a filter; a filter with the same name is replaced. Returns a function that undoes this. */
  save(saved: SavedEventFilter): Undo;
  /** Removes a filter. Returns a function that restores it, unless another filter has its name by then. */
  remove(name: string): Undo;
}

const key = "midtoken.event-filters.v1";
export const mostSavedFilters = 100;

/** @param events the window, which has the event `storage` */
export function createSavedFiltersStore(
  storage: Storage,
  trouble: StorageTroubleReporter,
  events: Pick<EventTarget, "addEventListener">,
): StoreApi<SavedFiltersState> {
  const report = trouble.writer();
  const load = () => {
    const text = storage.getItem(key);
    if (text === null) return [];
    const { value, why } = parseStoredText(key, text, parseEventFilters);
    if (why !== null) setTextAside(storage, key, text, why);
    return value ?? [];
  };
  const store = createStore<SavedFiltersState>()((set) => {
    const change = (to: (list: readonly SavedEventFilter[]) => readonly SavedEventFilter[]) => {
      const list = [...to(load())].sort((one, other) => (one.name < other.name ? -1 : 1));
      if (report(() => storage.setItem(key, JSON.stringify(list)))) set({ list });
    };
    const put = (saved: SavedEventFilter) =>
      change((list) => [...list.filter(({ name }) => name !== saved.name), saved]);
    const takeOut = (gone: string) => change((list) => list.filter(({ name }) => name !== gone));
    const named = (wanted: string) => load().find(({ name }) => name === wanted);
    return {
      list: load(),
      save(saved) {
        const before = named(saved.name);
        if (!before && load().length >= mostSavedFilters) {
          trouble.say(
            `The filter “${saved.name}” was not saved: there are already ${mostSavedFilters} filters, which is the limit. Delete a filter first.`,
          );
          return () => {};
        }
        put(saved);
        return () => {
          if (named(saved.name)?.filter !== saved.filter) return;
          if (before) put(before);
          else takeOut(saved.name);
        };
      },
      remove(name) {
        const gone = named(name);
        takeOut(name);
        return () => {
          if (gone && !named(name)) put(gone);
        };
      },
    };
  });
  events.addEventListener("storage", (event) => {
    const { key: changed, storageArea } = event as StorageEvent;
    if (storageArea === storage && (changed === key || changed === null)) store.setState({ list: load() });
  });
  return store;
}

/** The readable filters of a stored list. */
function parseEventFilters(list: unknown): readonly SavedEventFilter[] | null {
  if (!Array.isArray(list)) return null;
  return list.slice(0, mostSavedFilters).flatMap((entry) => {
    const fields = asRecord(entry);
    const name = asString(fields?.name);
    const filter = asString(fields?.filter);
    if (!name || !filter || name.length > maxFilterNameLength || filter.length > maxFilterLength) return [];
    return [{ name, filter }];
  });
}
