/**
 * Runs requests in the background, one after the other, between the page's own runs. While the page holds the queue,
 * background requests in progress are stopped, so that the page waits for at most one forward pass. Later they run again
 * from the beginning, with the same result.
 */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { RunRequest } from "../shared/requests.ts";
import type { RunHandle, Session } from "./session.ts";

export interface BackgroundQueue {
  /** Resolves with the request's records when it has ended. Rejects with a readable Error if it failed, and with the signal's reason when aborted. */
  run(request: RunRequest, signal: AbortSignal): Promise<readonly TraceRecord[]>;
  /** Stops the requests in progress, and runs nothing until `release`. */
  pause(): void;
  release(): void;
}

interface Waiting {
  readonly request: RunRequest;
  readonly signal: AbortSignal;
  readonly resolve: (records: readonly TraceRecord[]) => void;
  readonly reject: (cause: unknown) => void;
  readonly cancel: () => void;
  handle: RunHandle | null;
}

/** How many requests are in progress at a time: the engine computes one while the sandboxes of the next are made. */
const mostAtATime = 2;

/** `newRequestId`: a request that is stopped and run again needs a new id each time. */
export function createBackgroundQueue(
  session: Pick<Session, "run">,
  newRequestId: () => string,
): BackgroundQueue {
  /** The requests in the order of the calls. The first ones are in progress. */
  const entries: Waiting[] = [];
  let isPaused = false;
  /** Settles when the engine has received the previous request. */
  let before = Promise.resolve();

  const remove = (entry: Waiting) => {
    entries.splice(entries.indexOf(entry), 1);
    entry.signal.removeEventListener("abort", entry.cancel);
  };
  const advance = () => {
    if (isPaused) return;
    for (const entry of entries.slice(0, mostAtATime)) if (!entry.handle) start(entry);
  };
  const start = (entry: Waiting) => {
    const records: TraceRecord[] = [];
    const request = { ...entry.request, requestId: newRequestId() };
    const after = before;
    let onPosted = () => {};
    before = new Promise((resolve) => {
      onPosted = resolve;
    });
    const handle = session.run(request, (more) => records.push(...more), { after, onPosted });
    entry.handle = handle;
    const end = (cause: unknown) => {
      onPosted();
      const last = records.at(-1);
      const isWhole = last?.type === "finished" && last.reason !== "cancelled";
      entry.handle = null;
      if (isPaused && !isWhole && !entry.signal.aborted) return;
      remove(entry);
      if (entry.signal.aborted) entry.reject(entry.signal.reason);
      else if (cause !== null) entry.reject(cause);
      else entry.resolve(records);
      advance();
    };
    handle.done.then(() => end(null), end);
  };
  return {
    run(request, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const cancel = () => {
          if (entry.handle) return entry.handle.stop();
          remove(entry);
          reject(signal.reason);
        };
        const entry: Waiting = { request, signal, resolve, reject, cancel, handle: null };
        signal.addEventListener("abort", cancel);
        entries.push(entry);
        advance();
      });
    },
    pause() {
      if (isPaused) return;
      isPaused = true;
      for (const { handle } of entries) handle?.stop();
    },
    release() {
      isPaused = false;
      advance();
    },
  };
}
