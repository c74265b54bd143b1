/** Whether the browser keeps the runs: what could not be kept, and why. */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface SavingState {
  /** Why runs could not be kept, in words for the user; null if all are. */
  readonly failure: string | null;
  /** True when another tab has a newer Midtoken, so that this one can keep no run. */
  readonly isOutdated: boolean;
  /** Whether there is a run to try again. Not while one grows: its pieces fail first, and it is kept whole at its end. */
  readonly canRetry: boolean;
  /** Tries again to keep them. */
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
