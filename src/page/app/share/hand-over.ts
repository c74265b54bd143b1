/** From a shared link to the playground: what the user wants there, held until the playground picks it up. */
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { ShownRun } from "../store/shown-run.ts";
import { isFramedByAnother } from "./framed.ts";

export interface HandOver {
  /** Goes into the editor. */
  readonly request: RequestRecord | null;
  /** The run that was read, with what is known of it: it stays on the page until something is run. Null for a setup. */
  readonly read: { readonly trace: TraceModel; readonly about: ShownRun } | null;
  /** Run at once: the user agreed. */
  readonly run: boolean;
}

/** Held in memory only, so that nothing from a link is stored before the user asks for it. */
let waiting: HandOver | null = null;

/** @throws Error inside another site's page, whose clicks may not be the user's own. */
export function handOver(handed: HandOver): void {
  if (isFramedByAnother(window))
    throw new Error(
      "This page is shown inside another site, so nothing runs or is saved. Open it in its own tab.",
    );
  waiting = handed;
}

/** The handed-over value. A second call returns null. */
export function takeHandOver(): HandOver | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
