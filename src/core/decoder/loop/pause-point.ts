/**
 * Where the loop may be held in its middle: right after something was written down, and before anything else is. Whoever runs
 * a request step by step, or waits for something to happen in it, holds it here. Nothing of the request depends on it.
 */
import { untilAborted } from "../../base/abort.ts";
import type { DecodeState } from "./decode-state.ts";

/** Null where nobody holds the request, which is nearly always: whoever asks goes on in the same turn. @throws the signal's reason */
export function pauseHere({ ports, source }: DecodeState): Promise<void> | null {
  // A recorded step happened before: nobody can wait for it.
  if (!ports.pausePoint || source.isPast) return null;
  const held = ports.pausePoint("event");
  return held && untilAborted(held, ports.signal);
}
