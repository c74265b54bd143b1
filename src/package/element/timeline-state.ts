/** The state of a timeline, for its views. The trace grows in place; `version` changes with it. */
import type { Selection } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/**
 * `empty`: there is no source. `loading`: a record is being read, and a valid beginning of it may already be shown.
 * `waiting`: the request has not begun. `running`: the request is running. `finished`: the run is complete. `failed`: see
 * `error`.
 */
export type TimelineStatus = "empty" | "loading" | "waiting" | "running" | "finished" | "failed";

export interface TimelineState {
  readonly status: TimelineStatus;
  readonly trace: TraceModel | null;
  readonly version: number;
  /** The share of a record that has been read, 0 to 1; null if unknown. */
  readonly share: number | null;
  /** The reason for a failure. If a request failed while it ran, its text so far stays. */
  readonly error: Error | null;
  readonly selection: Selection | null;
}

export const emptyTimelineState: TimelineState = {
  status: "empty",
  trace: null,
  version: 0,
  share: null,
  error: null,
  selection: null,
};

/** A state with listeners, with the interface of React's `useSyncExternalStore`. */
export interface TimelineStore {
  readonly get: () => TimelineState;
  readonly set: (changes: Partial<TimelineState>) => void;
  /** @returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createTimelineStore(): TimelineStore {
  let state = emptyTimelineState;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set(changes) {
      state = { ...state, ...changes };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
