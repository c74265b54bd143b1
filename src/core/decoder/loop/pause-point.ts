/**
 * The places where the loop can pause: right after a record is written. Single steps and breakpoints pause a request here.
 * The result of the request does not depend on pauses.
 */
import { untilAborted } from "../../base/abort.ts";

/** The parts of a request that a pause needs. */
export interface PausePorts {
  readonly kvCache: { rest(): void };
  /** Ends the request with the reason `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called before each step, before each pass of a prompt, and after each trace record (`pause-point.ts`): for pauses, single
   * steps and turns of the event loop. The loop awaits the returned promise; null lets the loop continue at once. `onWait` is
   * called if the request pauses, but not for a turn of the event loop.
   */
  readonly pausePoint?:
    | ((at: "step" | "pass" | "event", onWait?: () => void) => Promise<void> | null)
    | undefined;
}

/**
 * Null if the request is not paused, as in nearly all calls: the loop then continues in the same turn. @throws the
 * signal's reason
 */
export function waitIfPaused({
  ports,
  source,
}: {
  readonly ports: PausePorts;
  readonly source: { readonly isPast: boolean };
}): Promise<void> | null {
  // A recorded step is in the past: the request cannot pause there.
  if (!ports.pausePoint || source.isPast) return null;
  return waitIfPausedAt(ports, "event");
}

/** Null if the loop need not wait. While the request is paused, the model computes nothing ahead. @throws the signal's reason */
export function waitIfPausedAt(
  { pausePoint, kvCache, signal }: PausePorts,
  at: "step" | "pass" | "event",
): Promise<void> | null {
  const pause = pausePoint?.(at, () => kvCache.rest()) ?? null;
  return pause && untilAborted(pause, signal);
}
