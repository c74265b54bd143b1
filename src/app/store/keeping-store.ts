/** Whether the browser keeps the runs: what could not be kept, and why. */
import { createStore, type StoreApi } from "zustand/vanilla";

export interface KeepingState {
  /** Why runs could not be kept, in words for the user; null where all are. */
  readonly failure: string | null;
  /** True when another tab has a newer Midtoken, so that this one can keep no run. */
  readonly isOutdated: boolean;
  /** Tries again to keep them. */
  retry(): void;
}

export function createKeepingStore(): StoreApi<KeepingState> {
  return createStore<KeepingState>()(() => ({ failure: null, isOutdated: false, retry() {} }));
}
