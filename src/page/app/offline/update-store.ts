/** Whether a newer version of the page has been fetched and waits. */
import { createStore } from "zustand/vanilla";

export interface PageUpdateState {
  /** Switches to the newer version, which loads the page again. Null if there is no newer version. */
  readonly take: (() => void) | null;
}

export const pageUpdateStore = createStore<PageUpdateState>()(() => ({ take: null }));
