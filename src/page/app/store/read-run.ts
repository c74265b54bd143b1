/**
 * Shows a recorded run while it is read, from its first records on. A later record may still be refused, so nothing of the run
 * is saved, shared, forked or continued before all of it is read. If the run is refused, the page shows the previous run again.
 */
import { createStore } from "zustand/vanilla";
import { runInSlices } from "../../../core/base/in-slices.ts";
import type { TraceOpening } from "../../../core/trace/file/opening-model.ts";
import { createRedrawThrottle } from "../../../core/trace/file/opening-pace.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { RunReadingProgress } from "./reading-run.ts";
import type { ShownRun } from "./shown-run.ts";
import type { Stores } from "./stores.ts";

export interface RunReadingOptions {
  readonly what: RunReadingProgress["what"];
  readonly about: ShownRun;
  /** The file of the run, which is saved unchanged. */
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** Called when the shown run is replaced: returns the function that shows it again. */
  readonly wayBack: () => (() => void) | null;
}

/** If reading takes at most this many milliseconds, no progress is shown. */
const reportedAfterMs = 150;

/**
 * After reading, returns the function that shows the previous run again; undefined if the reading was stopped or another run is shown.
 * @throws TraceError for a run that is refused; the run before is shown again.
 */
export async function readAndShowRun(
  { run }: Pick<Stores, "run">,
  opening: TraceOpening,
  { what, about, file, wayBack }: RunReadingOptions,
): Promise<(() => void) | null | undefined> {
  const begun = performance.now();
  const stop = new AbortController();
  const share = createStore<{ done: number | null }>(() => ({ done: null }));
  const isWorthShowing = createRedrawThrottle();
  const earlier = run.getState().reading;
  let isShown = earlier !== null;
  let back = earlier ? (earlier.back ?? wayBack()) : null;
  if (earlier) run.getState().leave();
  const leave = () => {
    run.getState().leave();
    if (isShown) back?.();
  };
  const show = (model: TraceModel) => {
    if (!isShown) back = wayBack();
    isShown = true;
    run.getState().showPart(model, about);
  };
  run.getState().setReading({
    what,
    share,
    get back() {
      return isShown ? back : wayBack();
    },
    abandon: () => stop.abort(),
    stop: leave,
  });
  try {
    const onProgress = (done: number) => {
      const now = performance.now();
      if (now - begun < reportedAfterMs) return;
      share.setState({ done });
      if (opening.model && isWorthShowing(opening.model, now)) show(opening.model);
    };
    const model = await runInSlices(opening.steps, { signal: stop.signal, onProgress });
    if (stop.signal.aborted) {
      opening.release();
      return undefined;
    }
    show(model);
    run.getState().endPart(file);
    return back;
  } catch (cause) {
    const wasLeft = stop.signal.aborted;
    if (!wasLeft) leave();
    opening.release();
    if (wasLeft) return undefined;
    throw cause;
  }
}
