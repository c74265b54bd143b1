/** Handles Ctrl-C and SIGTERM: the first signal lets the process finish its work, the second ends it at once. */
import type { EventEmitter } from "node:events";

const reasons = { SIGINT: "Stopped by Ctrl-C.", SIGTERM: "Stopped by a signal." } as const;

export type StopSignal = keyof typeof reasons;

/**
 * Aborts `stop` at the first signal of either kind. Then removes its listeners, so that the next signal of either kind ends
 * the process at once, as it would without this function. Returns a function that tells which signal came.
 */
export function stopOnSignals(process: EventEmitter, stop: AbortController): () => StopSignal | null {
  let received: StopSignal | null = null;
  const onSignal = (signal: StopSignal): void => {
    received = signal;
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    stop.abort(new DOMException(reasons[signal], "AbortError"));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return () => received;
}
