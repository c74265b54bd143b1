/** The experiments of this page: the list, the open experiment with its outcomes, and the runner. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import type { RunOutcome } from "../../experiments/outcome.ts";
import type { SavedExperiment } from "../../runs/experiment-repository.ts";
import { pageLocks } from "../store/browser-storage.ts";
import type { Stores } from "../store/stores.ts";
import { createExperimentRunner, type RunnerState } from "./experiment-runner.ts";

export interface ExperimentsState {
  /** The experiments, newest first; null until they are read. */
  readonly list: readonly SavedExperiment[] | null;
  /** Why the experiments cannot be read. */
  readonly problem: string | null;
  /** Id of the open experiment; null while the list is shown. */
  readonly opened: string | null;
  /** The outcomes of the open experiment, in the order of their numbers. */
  readonly outcomes: readonly RunOutcome[];
  open(id: string | null): void;
  /** Tries again to read the experiments. */
  read(): void;
}

export interface ExperimentStores {
  readonly store: StoreApi<ExperimentsState>;
  readonly runner: StoreApi<RunnerState>;
}

/** Changes come with every run; the list is read at most so often, in milliseconds. */
const readEvery = 200;

export function createExperimentsViewStore({ runs }: Pick<Stores, "runs">): StoreApi<ExperimentsState> {
  const { experiments } = runs;
  const store = createStore<ExperimentsState>()((set, get) => {
    let isReading = false;
    let isAsked = false;
    const readOnce = async () => {
      const { opened, outcomes } = get();
      const known = new Set(outcomes.map(({ number }) => number));
      const [list, fresh] = await Promise.all([
        experiments.list(),
        opened === null ? [] : experiments.outcomes(opened, known),
      ]);
      set({ list, problem: null });
      if (get().opened !== opened) return set({ list, problem: null });
      const all = [...outcomes, ...fresh].sort((a, b) => a.number - b.number);
      const isGone = opened !== null && !list.some(({ id }) => id === opened);
      const shown = isGone ? { opened: null, outcomes: [] } : { outcomes: all };
      set({ list, problem: null, ...(fresh.length > 0 || isGone ? shown : {}) });
    };
    /** One read at a time: requests during a read cause a single further read, a little later. */
    const read = async () => {
      isAsked = true;
      if (isReading) return;
      isReading = true;
      while (isAsked) {
        isAsked = false;
        await readOnce().catch((cause: unknown) => set({ problem: messageOf(cause) }));
        await new Promise((resolve) => setTimeout(resolve, readEvery));
      }
      isReading = false;
    };
    return {
      list: null,
      problem: null,
      opened: null,
      outcomes: [],
      open(id) {
        set({ opened: id, outcomes: [] });
        void read();
      },
      read: () => void read(),
    };
  });
  runs.watch((change) => {
    if (change.type === "experiment") store.getState().read();
  });
  store.getState().read();
  return store;
}

const known = new WeakMap<Stores, ExperimentStores>();

/** Made once for a page. Runs are made whether or not the pane is open. */
export function experimentStoresOf(stores: Stores): ExperimentStores {
  const made = known.get(stores) ?? {
    store: createExperimentsViewStore(stores),
    runner: createExperimentRunner(stores, pageLocks()),
  };
  known.set(stores, made);
  return made;
}
