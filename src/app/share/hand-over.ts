/** From a shared run to the playground: its record, held until the playground picks it up. */
import type { TraceModel } from "../../trace/trace-model.ts";
import type { ShownRun } from "../store/run-store.ts";
import { isFramedByAnother } from "./framed.ts";

export interface HandOver {
  /** What is known of the run: its id, and whether it was saved. */
  readonly about: ShownRun;
  /** The record that was read: it stays on the page until something is run. */
  readonly trace: TraceModel;
  /** Run at once: the user agreed. */
  readonly run: boolean;
}

/** Held in memory only, so that nothing from a link is stored before the user asks for it. */
let waiting: HandOver | null = null;

/** Goes to the playground with the record. @throws Error inside another site's page, whose clicks may not be the user's own. */
export function leaveForPlayground(trace: TraceModel, about: ShownRun, run: boolean): void {
  if (isFramedByAnother(window))
    throw new Error(
      "Another site shows this page: nothing is run or taken over. Open it in a tab of its own.",
    );
  waiting = { trace, about, run };
  history.pushState(null, "", location.pathname + location.search);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** The record that was handed over. A second call gets null. */
export function takeHandOver(): HandOver | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
