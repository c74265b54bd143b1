/** The state of a recorded run that is being read: its label, its progress, and the functions that stop it. */
import type { StoreApi } from "zustand/vanilla";

export interface RunReadingProgress {
  /** Without a stop at its end: "Reading and checking story.trace (16 MB)". */
  readonly what: string;
  /**
   * The share of the run that is read, from 0 to 1; null while reading has not taken long enough to show progress. A separate
   * store, because the share changes many times a second.
   */
  readonly share: StoreApi<{ readonly done: number | null }>;
  /** Stops the reading for the user and shows the previous run again. */
  stop(): void;
  /** Shows the previous run again; null if there was none. */
  readonly back: (() => void) | null;
  /** Ends the reading because another run is shown now. */
  abandon(): void;
}
