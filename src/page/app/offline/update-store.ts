/** Whether a newer version of the page has been fetched and waits. */
import { createStore } from "zustand/vanilla";

export interface UpdateState {
  /** Takes the newer version: the page is loaded again. Null if there is none. */
  readonly take: (() => void) | null;
}

export const update = createStore<UpdateState>()(() => ({ take: null }));
