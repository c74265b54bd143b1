/** From a shared run to the playground: what it was made with, held until the playground picks it up. */
import type { RequestRecord } from "../../trace/format-request.ts";
import type { TraceModel } from "../../trace/trace-model.ts";

/** What a recorded run was made with. */
export interface HandOver {
  readonly request: RequestRecord;
  /** Run at once: the user agreed. */
  readonly run: boolean;
}

/** Held in memory, so that nothing a link carries is kept before the user asked for it. */
let waiting: HandOver | null = null;

/** Goes to the playground with what the run was made with. */
export function leaveForPlayground({ request }: TraceModel, run: boolean): void {
  if (request) waiting = { request, run };
  history.pushState(null, "", location.pathname + location.search);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** What was handed over; once. */
export function takeHandOver(): HandOver | null {
  const taken = waiting;
  waiting = null;
  return taken;
}
