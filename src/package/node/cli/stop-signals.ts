/** Handles Ctrl-C and SIGTERM: a process may finish its work first, or end at once. */
import type { EventEmitter } from "node:events";

const reasons = { SIGINT: "Stopped by Ctrl-C.", SIGTERM: "Stopped by a signal." } as const;

/**
 * Aborted by the first signal of either kind. After it the process has no listeners any more, so that the next signal of either
 * kind ends it at once, as without this function.
 */
export function stopOnSignals(process: EventEmitter, stop: AbortController): void {
  const onSignal = (signal: keyof typeof reasons): void => {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    stop.abort(new DOMException(reasons[signal], "AbortError"));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
}
