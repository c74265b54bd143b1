/** Carries the user's request from the page of a shared link to the playground, which takes it when it starts. */
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { ShownRun } from "../store/shown-run.ts";
import { isFramedByAnother } from "./framed.ts";

export interface PlaygroundHandOver {
  /** The request to put into the editor; null if there is none. */
  readonly request: RequestRecord | null;
  /** The run that was read, with its metadata: the page shows it until another run begins. Null for a setup. */
  readonly read: { readonly trace: TraceModel; readonly about: ShownRun } | null;
  /** True if the request is run at once, to which the user agreed. */
  readonly run: boolean;
}

/** The value is held in memory only, so that nothing from a link is stored before the user asks for it. */
let waiting: PlaygroundHandOver | null = null;

/** @throws Error inside another site's page, whose clicks may not be the user's own. */
export function handOverToPlayground(handed: PlaygroundHandOver): void {
  if (isFramedByAnother(window))
    throw new Error(
      "This page is shown inside another site, so nothing runs or is saved. Open it in its own tab.",
    );
  waiting = handed;
}

export function isHandOverWaiting(): boolean {
  return waiting !== null;
}

/** The handed-over value. A second call returns null. */
export function takeHandOver(): PlaygroundHandOver | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
