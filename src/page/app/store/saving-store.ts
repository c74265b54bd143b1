/** Whether the browser saves the runs, and why it did not. */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface SavingState {
  /** A sentence for the user that says why runs could not be saved; null if all are saved. */
  readonly failure: string | null;
  /** True when another tab has a newer Midtoken, so that this one can keep no run. */
  readonly isOutdated: boolean;
  /** Whether saving a run can be tried again. False while the run is in progress, because it is saved whole at its end. */
  readonly canRetry: boolean;
  /** Tries again to save the runs. */
  retry(): void;
}

export function createSavingStore(): StoreApi<SavingState> {
  return createStore<SavingState>()(() => ({
    failure: null,
    isOutdated: false,
    canRetry: false,
    retry() {},
  }));
}
