/** The list of runs as the page shows it: all runs, the runs that match the search, and the chosen run. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import type { FoundRuns, RunRepository } from "../../runs/repository.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { type StorageRoom, storageRoom } from "../../runs/storage-room.ts";

export interface HistoryState {
  /** Newest first; null until they are read. */
  readonly runs: readonly RunMetadata[] | null;
  /** Why the runs cannot be read. */
  readonly problem: string | null;
  readonly query: string;
  /** The runs that the query found; null without a query, and until the search is done. */
  readonly found: FoundRuns | null;
  readonly starredOnly: boolean;
  readonly tag: string | null;
  /** Id of the run whose card is open. */
  readonly chosen: string | null;
  /** Id of the run that the next opened run is compared with. */
  readonly comparing: string | null;
  readonly room: StorageRoom | null;
  setQuery(query: string): void;
  setStarredOnly(starredOnly: boolean): void;
  setTag(tag: string | null): void;
  choose(id: string | null): void;
  setComparing(id: string | null): void;
  /** Call it when the list opens: clears the choice, asks for the storage estimate, and reads the list again after a failure. */
  opened(): void;
  /** Reads the runs and follows their changes, until the returned function is called. */
  follow(): () => void;
}

/** If more runs changed, the whole list is read again. */
const fewRuns = 50;

export function createHistoryStore(repository: RunRepository): StoreApi<HistoryState> {
  let searching = new AbortController();
  return createStore<HistoryState>()((set, get) => {
    const failed = (cause: unknown) => set({ problem: messageOf(cause) });
    const readRoom = () => void storageRoom().then((room) => set({ room }));
    const search = async () => {
      searching.abort();
      searching = new AbortController();
      const { signal } = searching;
      const { query } = get();
      if (query.trim() === "" || get().runs === null) return set({ found: null });
      try {
        const found = await repository.search(query, get().runs ?? [], signal);
        if (!signal.aborted) set({ found });
      } catch (cause) {
        if (!signal.aborted) failed(cause);
      }
    };
    const read = () =>
      repository.list().then((runs) => {
        set({ runs, problem: null });
        readRoom();
        return search();
      }, failed);
    const refresh = async (ids: readonly string[]) => {
      if (ids.length > fewRuns || get().runs === null) return read();
      const fresh = await repository.facts(ids);
      const others = (get().runs ?? []).filter(({ id }) => !ids.includes(id));
      set({ runs: [...others, ...fresh].toSorted((a, b) => b.when - a.when) });
      readRoom();
      await search();
    };
    return {
      runs: null,
      problem: null,
      query: "",
      found: null,
      starredOnly: false,
      tag: null,
      chosen: null,
      comparing: null,
      room: null,
      setQuery(query) {
        set({ query });
        void search();
      },
      setStarredOnly: (starredOnly) => set({ starredOnly }),
      setTag: (tag) => set({ tag }),
      choose: (chosen) => set({ chosen }),
      setComparing: (comparing) => set({ comparing }),
      opened() {
        set({ chosen: null, comparing: null });
        if (get().problem !== null) void read();
        else readRoom();
      },
      follow() {
        void read();
        const stop = repository.watch((change) => {
          if (change.type === "runs") refresh(change.ids).catch(failed);
        });
        return () => {
          stop();
          searching.abort();
        };
      },
    };
  });
}

/** The runs that match search, star and tag, newest first. */
export function matchingRuns({
  runs,
  found,
  starredOnly,
  tag,
}: Pick<HistoryState, "runs" | "found" | "starredOnly" | "tag">): readonly RunMetadata[] {
  return (runs ?? []).filter(
    ({ id, star, tags }) =>
      (!starredOnly || star) && (tag === null || tags.includes(tag)) && (found === null || found.has(id)),
  );
}

/** Every tag of the runs, in the order of the alphabet. */
export function tagsOf(runs: readonly RunMetadata[]): readonly string[] {
  return [...new Set(runs.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b));
}

const histories = new WeakMap<RunRepository, StoreApi<HistoryState>>();

/** The list of this page: read once and kept up to date, so that the list opens at once the next time. */
export function historyOf(repository: RunRepository): StoreApi<HistoryState> {
  const known = histories.get(repository);
  if (known) return known;
  const history = createHistoryStore(repository);
  histories.set(repository, history);
  history.getState().follow();
  return history;
}
