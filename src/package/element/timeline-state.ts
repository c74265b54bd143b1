/** The state of a timeline, for its views. The trace grows in place; `version` changes with it. */
import type { Selection } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/**
 * `empty`: nothing was given to show. `loading`: a record is being read, a sound beginning of which may be there. `waiting`: a
 * request that has not begun. `running`: a request that goes on. `finished`: all of it is there. `failed`: see `error`.
 */
export type TimelineStatus = "empty" | "loading" | "waiting" | "running" | "finished" | "failed";

export interface TimelineState {
  readonly status: TimelineStatus;
  readonly trace: TraceModel | null;
  readonly version: number;
  /** How much of a record has been read, 0 to 1; null if that is not known. */
  readonly share: number | null;
  /** The reason for a failure. If a request failed on its way, its text so far is still there. */
  readonly error: Error | null;
  readonly selection: Selection | null;
}

export const nothingShown: TimelineState = {
  status: "empty",
  trace: null,
  version: 0,
  share: null,
  error: null,
  selection: null,
};

/** A state that listeners are told of, in the shape of React's `useSyncExternalStore`. */
export interface TimelineStore {
  readonly get: () => TimelineState;
  readonly set: (changes: Partial<TimelineState>) => void;
  /** @returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createTimelineStore(): TimelineStore {
  let state = nothingShown;
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
