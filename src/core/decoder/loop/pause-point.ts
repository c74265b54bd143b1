/**
 * The places where the loop can pause: right after a record is written. Single steps and breakpoints pause a request here.
 * The result of the request does not depend on pauses.
 */
import { untilAborted } from "../../base/abort.ts";
import type { DecodePorts, DecodeState } from "./decode-state.ts";

/**
 * Null if the request is not paused, as in nearly all calls: the loop then continues in the same turn. @throws the
 * signal's reason
 */
export function pauseHere({ ports, source }: DecodeState): Promise<void> | null {
  // A recorded step happened before: nobody can wait for it.
  if (!ports.pausePoint || source.isPast) return null;
  return pauseAt(ports, "event");
}

/** Null if the loop need not wait. While the request is paused, the model computes nothing ahead. @throws the signal's reason */
export function pauseAt(
  { pausePoint, kvCache, signal }: Pick<DecodePorts, "pausePoint" | "kvCache" | "signal">,
  at: "step" | "pass" | "event",
): Promise<void> | null {
  const held = pausePoint?.(at, () => kvCache.rest()) ?? null;
  return held && untilAborted(held, signal);
}
