/**
 * The comparison in the page's address: `?compare=ID`, with the id of a saved run. Going back in the browser's history ends the
 * comparison.
 */
import type { StoreApi } from "zustand/vanilla";
import type { CompareState } from "./compare-state.ts";
import type { RunState } from "./run-store.ts";

export const comparisonParameter = "compare";

interface Page {
  readonly location: Pick<Location, "pathname" | "search" | "hash">;
  readonly history: Pick<History, "pushState" | "replaceState" | "back" | "state">;
  addEventListener(type: "popstate", listener: () => void): void;
  removeEventListener(type: "popstate", listener: () => void): void;
}

/** Begins the comparison in the address as soon as a run is shown, and then keeps address and comparison equal. @returns a function that stops this. */
export function syncComparisonWithAddress(
  { compare, run }: { readonly compare: StoreApi<CompareState>; readonly run: StoreApi<RunState> },
  page: Page = window,
): () => void {
  const { location, history } = page;
  const named = () => new URLSearchParams(location.search).get(comparisonParameter);
  const addressWith = (id: string | null) => {
    const query = new URLSearchParams(location.search);
    if (id === null) query.delete(comparisonParameter);
    else query.set(comparisonParameter, id);
    return location.pathname + (query.size > 0 ? `?${query}` : "") + location.hash;
  };
  let asked = named();
  const begin = () => {
    const { status, trace } = run.getState();
    if (asked === null) return;
    if (status === "running") {
      // The comparison in the address belongs to the run that the address was written for.
      asked = null;
      if (compare.getState().other === null) history.replaceState(history.state, "", addressWith(null));
    } else if (status === "finished" && trace.records.length > 0) {
      const id = asked;
      asked = null;
      void compare.getState().compareWith(id, true);
    }
  };
  const write = ({ other }: CompareState, before: CompareState) => {
    if (other === before.other || other === named()) return;
    asked = null;
    if (other === null && isOwn(history.state)) history.back();
    else if (other === null || before.other !== null)
      history.replaceState(history.state, "", addressWith(other));
    else history.pushState({ comparison: true }, "", addressWith(other));
  };
  const goBack = () => {
    const id = named();
    if (id === null) compare.getState().end();
    else if (id !== compare.getState().other) void compare.getState().compareWith(id, true);
  };
  const ends = [run.subscribe(begin), compare.subscribe(write)];
  page.addEventListener("popstate", goBack);
  begin();
  return () => {
    for (const end of ends) end();
    page.removeEventListener("popstate", goBack);
  };
}

/** Whether the comparison began on this page, so that the history entry before it is the page without a comparison. */
function isOwn(state: unknown): boolean {
  return typeof state === "object" && state !== null && "comparison" in state;
}
