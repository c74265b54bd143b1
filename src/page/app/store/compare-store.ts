/** The comparison on the page: the shown run beside another saved run. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { nextDifference, placesAt, segmentAt } from "../../../core/trace/compare/comparison.ts";
import type { CompareState, CompareStores, CompareView } from "./compare-state.ts";

const reading: CompareView = { type: "reading" };

export function createCompareStore({ run, runs }: CompareStores): StoreApi<CompareState> {
  let current = new AbortController();
  const store = createStore<CompareState>()((set, get) => ({
    other: null,
    view: reading,
    column: 0,
    async compareWith(id, keepsCursor = false) {
      current.abort();
      current = new AbortController();
      const { signal } = current;
      set({ other: id, view: reading, column: 0 });
      try {
        const { compareWhileRunGrows } = await importProgramPart(
          "The comparison",
          () => import("./follow-comparison.ts"),
          "compareWhileRunGrows",
        );
        if (!signal.aborted)
          await compareWhileRunGrows({ run, runs, compare: store, id, keepsCursor, signal });
      } catch (cause) {
        if (!signal.aborted) set({ view: { type: "failed", message: messageOf(cause) } });
      }
    },
    end() {
      current.abort();
      if (get().other !== null) set({ other: null, view: reading });
    },
    moveTo(wanted) {
      const { view } = get();
      if (view.type !== "ready") return;
      const { comparison, shown } = view;
      const column = Math.max(0, Math.min(comparison.columns - 1, wanted));
      set({ column });
      const segment = comparison.segments[segmentAt(comparison, column)];
      const { first, end } = segment ? placesAt(segment, column)[shown] : { first: 0, end: 0 };
      const anchor = comparison[shown][first];
      const cursor = comparison[shown][end - 1];
      if (first < end && anchor !== undefined && cursor !== undefined)
        run.getState().select({ anchor, cursor });
    },
    moveToDifference(direction) {
      const { view, column, moveTo } = get();
      const next = view.type === "ready" ? nextDifference(view.comparison, column, direction) : null;
      if (next !== null) moveTo(next);
      return next !== null;
    },
  }));
  return store;
}
