/** Reads the other run and compares both, repeatedly while the shown run is in progress. Fetched when runs are compared. */
import type { StoreApi } from "zustand/vanilla";
import { runInSlices } from "../../../core/base/in-slices.ts";
import { comparing } from "../../../core/trace/compare/compare.ts";
import { columnOf, firstDivergence, type Side } from "../../../core/trace/compare/comparison.ts";
import { startOpeningFile } from "../../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { CompareState, CompareStores } from "./compare-state.ts";
import type { RunState } from "./run-store.ts";

interface FollowOptions extends CompareStores {
  readonly compare: StoreApi<CompareState>;
  readonly id: string;
  readonly keepsCursor: boolean;
  /** Aborted when this comparison ends. */
  readonly signal: AbortSignal;
}

/** How often a run in progress is compared again, and up to how many tokens; a longer run is compared when it has ended. */
const againAfterMs = 500;
const mostLiveTokens = 2_000;

/** Settles after the first comparison. @throws Error if the other run is not saved or is the shown run, TraceError if it cannot be read. */
export async function compareWhileRunGrows(options: FollowOptions): Promise<void> {
  const { run, runs, compare, id, signal } = options;
  const shownId = run.getState().id;
  if (id === shownId) throw new Error("That run is already on the page: choose another run to compare.");
  const opened = await runs.open(id);
  if (!opened) throw new Error("The run to compare with is not saved in this browser, or was deleted.");
  const other = await runInSlices(startOpeningFile(opened.bytes).steps, { signal });
  if (run.getState().id !== shownId) return compare.getState().end();
  let keepsCursor = options.keepsCursor;
  let aligning = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const align = async () => {
    timer = null;
    aligning.abort();
    aligning = new AbortController();
    const { trace, status } = run.getState();
    const isInProgress = isStatusInProgress(status);
    if (isInProgress && trace.outputTokens.length > mostLiveTokens) {
      compare.setState({ view: { type: "waiting" } });
      return;
    }
    const shown: Side = comesFirst(trace, other) ? "left" : "right";
    const [left, right] = shown === "left" ? [trace, other] : [other, trace];
    const ids = shown === "left" ? { left: shownId, right: id } : { left: id, right: shownId };
    const comparison = await runInSlices(comparing(left, right), {
      signal: AbortSignal.any([signal, aligning.signal]),
    });
    const cursor = keepsCursor ? run.getState().selection?.cursor : undefined;
    const column = cursor === undefined ? null : columnOf(comparison, shown, cursor);
    compare.setState({ view: { type: "ready", comparison, left, right, ids, shown, goesOn: isInProgress } });
    compare
      .getState()
      .moveTo(column ?? (keepsCursor ? compare.getState().column : (firstDivergence(comparison) ?? 0)));
    keepsCursor = true;
  };
  const alignSafely = () => {
    align().catch((cause: unknown) => {
      // Only the end of this comparison, or a later comparison, can make this fail.
      if (!signal.aborted && !aligning.signal.aborted) throw cause;
    });
  };
  const onChange = (now: RunState, before: RunState) => {
    if (now.id !== shownId) return compare.getState().end();
    if (now.version !== before.version || now.status !== before.status) {
      if (isStatusInProgress(now.status)) timer ??= setTimeout(alignSafely, againAfterMs);
      else {
        if (timer !== null) clearTimeout(timer);
        alignSafely();
      }
    }
    if (now.selection !== before.selection && now.selection) followSelection(compare, now.selection.cursor);
  };
  const unsubscribe = run.subscribe(onChange);
  signal.addEventListener("abort", () => {
    unsubscribe();
    if (timer !== null) clearTimeout(timer);
    aligning.abort();
  });
  await align();
}

const isStatusInProgress = (status: RunState["status"]) =>
  status === "running" || status === "paused" || status === "reading";

/**
 * Whether `run` is A. A run without some of the other run's mods comes first, so that "B minus A" is the effect of these
 * mods; otherwise the older run comes first.
 */
function comesFirst(run: TraceModel, other: TraceModel): boolean {
  const own = modsOf(run);
  const others = modsOf(other);
  if (own.size < others.size && [...own].every((source) => others.has(source))) return true;
  if (others.size < own.size && [...others].every((source) => own.has(source))) return false;
  return startOf(run) < startOf(other);
}

const modsOf = ({ request }: TraceModel) => new Set(request?.mods.map(({ source }) => source));

/** Milliseconds since 1970; 0, the oldest time, for a record without a time. */
const startOf = ({ request }: TraceModel) => request?.createdAt ?? 0;

/** Moves the cursor to the selection of the shown run, whichever view the user made the selection in. */
function followSelection(compare: StoreApi<CompareState>, index: number): void {
  const { view, column } = compare.getState();
  if (view.type !== "ready") return;
  const wanted = columnOf(view.comparison, view.shown, index);
  if (wanted !== null && wanted !== column) compare.setState({ column: wanted });
}
