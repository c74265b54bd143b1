/** The list of runs as the page shows it: all runs, the runs that match the search, and the chosen run. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import type { ExperimentRun } from "../../runs/experiment-repository.ts";
import type { FoundRuns, RunRepository } from "../../runs/repository.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { readStorageSpace, type StorageSpace } from "../../runs/storage-room.ts";

/** A run of the user's own, or a run of an experiment. */
export type HistoryRun = RunMetadata & Partial<Pick<ExperimentRun, "experiment">>;

export interface HistoryState {
  /** The user's own runs, newest first; null until they are read. */
  readonly runs: readonly RunMetadata[] | null;
  /** The runs of experiments, newest first. A search finds these runs too. */
  readonly experimentRuns: readonly ExperimentRun[];
  /** Both lists in one, newest first. A run of an experiment that the user saved is a run of the user's own. */
  readonly all: readonly HistoryRun[];
  /** Whether the list has the runs of experiments without a search. */
  readonly withExperiments: boolean;
  /** Why the runs cannot be read. */
  readonly problem: string | null;
  readonly query: string;
  /** The runs that the last finished search found; null without a query, and until the first search is done. */
  readonly found: FoundRuns | null;
  readonly starredOnly: boolean;
  readonly tag: string | null;
  /** Id of the run whose card is open. */
  readonly chosen: string | null;
  /** Id of the run that the next opened run is compared with. */
  readonly comparing: string | null;
  readonly room: StorageSpace | null;
  setQuery(query: string): void;
  setStarredOnly(starredOnly: boolean): void;
  setWithExperiments(withExperiments: boolean): void;
  setTag(tag: string | null): void;
  choose(id: string | null): void;
  setComparing(id: string | null): void;
  /** Call it when the list opens: clears the choice, asks for the storage estimate, and reads the list again after a failure. */
  opened(): void;
  /** Reads the runs and follows their changes, until the returned function is called. */
  follow(): () => void;
}

const rereadAfterMs = 1_000;

/** If more runs changed, the whole list is read again. */
const fewRuns = 50;

const emptyHistory = {
  runs: null,
  problem: null,
  query: "",
  found: null,
  experimentRuns: [],
  all: [],
  withExperiments: false,
  starredOnly: false,
  tag: null,
  chosen: null,
  comparing: null,
  room: null,
} as const;

export function createHistoryStore(repository: RunRepository): StoreApi<HistoryState> {
  let searching = new AbortController();
  return createStore<HistoryState>()((set, get) => {
    const failed = (cause: unknown) => set({ problem: messageOf(cause) });
    const setRuns = (changes: Partial<Lists>) => {
      const { runs, experimentRuns } = { ...get(), ...changes };
      set({ runs, experimentRuns, all: inOneList(runs ?? [], experimentRuns) });
    };
    const readRoom = () => void readStorageSpace().then((room) => set({ room }));
    const search = async () => {
      searching.abort();
      searching = new AbortController();
      const { signal } = searching;
      const { query } = get();
      if (query.trim() === "" || get().runs === null) return set({ found: null });
      try {
        const found = await repository.search(query, get().all, signal);
        if (!signal.aborted) set({ found });
      } catch (cause) {
        if (!signal.aborted) failed(cause);
      }
    };
    const read = () =>
      Promise.all([repository.list(), repository.experiments.runs()]).then(([runs, experimentRuns]) => {
        setRuns({ runs, experimentRuns });
        set({ problem: null });
        readRoom();
        return search();
      }, failed);
    /** An experiment saves many runs one after the other: its runs are read again once in a while. */
    let rereading: ReturnType<typeof setTimeout> | undefined;
    const rereadExperiments = () => {
      rereading ??= setTimeout(() => {
        rereading = undefined;
        repository.experiments.runs().then((experimentRuns) => {
          setRuns({ experimentRuns });
          return search();
        }, failed);
      }, rereadAfterMs);
    };
    const refresh = async (ids: readonly string[]) => {
      if (ids.length > fewRuns || get().runs === null) return read();
      const fresh = await repository.metadata(ids);
      const others = (get().runs ?? []).filter(({ id }) => !ids.includes(id));
      setRuns({ runs: [...others, ...fresh].toSorted(newestFirst) });
      readRoom();
      await search();
    };
    return {
      ...emptyHistory,
      setQuery(query) {
        set({ query });
        void search();
      },
      setStarredOnly: (starredOnly) => set({ starredOnly }),
      setWithExperiments: (withExperiments) => set({ withExperiments }),
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
          if (change.type === "experiment") rereadExperiments();
        });
        return () => {
          stop();
          clearTimeout(rereading);
          searching.abort();
        };
      },
    };
  });
}

type Lists = Pick<HistoryState, "runs" | "experimentRuns">;

const newestFirst = (a: HistoryRun, b: HistoryRun) => b.when - a.when;

function inOneList(
  runs: readonly RunMetadata[],
  experimentRuns: readonly ExperimentRun[],
): readonly HistoryRun[] {
  const ownIds = new Set(runs.map(({ id }) => id));
  const others = experimentRuns.filter(({ id }) => !ownIds.has(id));
  return [...runs, ...others].toSorted(newestFirst);
}

/** The runs among which stars, tags and the search choose: without a search only those that the list shows. */
export function filterableRuns({
  runs,
  all,
  found,
  withExperiments,
}: Pick<HistoryState, "runs" | "all" | "found" | "withExperiments">): readonly HistoryRun[] {
  return found !== null || withExperiments ? all : (runs ?? []);
}

/** The runs that match search, star and tag, newest first. */
export function matchingRuns(
  state: Parameters<typeof filterableRuns>[0] & Pick<HistoryState, "starredOnly" | "tag">,
): readonly HistoryRun[] {
  const { found, starredOnly, tag } = state;
  return filterableRuns(state).filter(
    ({ id, star, tags }) =>
      (!starredOnly || star) && (tag === null || tags.includes(tag)) && (found === null || found.has(id)),
  );
}

/** Every tag of the runs, in the order of the alphabet. */
export function sortedTags(runs: readonly RunMetadata[]): readonly string[] {
  return [...new Set(runs.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b));
}

const histories = new WeakMap<RunRepository, StoreApi<HistoryState>>();

/** The list of this page: read once and kept up to date, so that the list opens at once the next time. */
export function historyStoreOf(repository: RunRepository): StoreApi<HistoryState> {
  const known = histories.get(repository);
  if (known) return known;
  const history = createHistoryStore(repository);
  histories.set(repository, history);
  history.getState().follow();
  return history;
}
