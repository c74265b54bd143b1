/** A recorded run that is being read: what the page says of it, and how it is stopped. */
import type { StoreApi } from "zustand/vanilla";

export interface ReadingRun {
  /** Without a stop at its end: "Reading and checking story.trace (16 MB)". */
  readonly what: string;
  /**
   * How much of it is read, 0 to 1; null as long as it has not taken long enough to be told. A store of its own, since it changes
   * many times a second.
   */
  readonly share: StoreApi<{ readonly done: number | null }>;
  /** For its user: the run that was shown before comes back. */
  stop(): void;
  /** Leads to the run that was shown before; null if there was none. */
  readonly back: (() => void) | null;
  /** Ends the reading, since something else is shown now. */
  abandon(): void;
}
