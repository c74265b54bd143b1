/**
 * Decides which watchers of the signalling server are connected, and when. Each connection costs the sharer memory and time
 * before its watcher has proved anything, so only a few are made at the same time. Watchers also get in during a flood of
 * requests: the newest request is served first, and a connection attempt that has used its time makes room.
 */
import { createRateLimiter } from "./allowance.ts";

export const connectionQueueLimits = {
  /** Connections that may be in the making at the same time. */
  connecting: 8,
  /** Requests that may wait for a free place among them. */
  waiting: 16,
  /** Milliseconds that a connection attempt may take: `shareMs` while other requests wait, `mostMs` in any case. */
  shareMs: 3_000,
  mostMs: 10_000,
  /** How many requests are read; further requests are dropped without an answer. */
  pace: { atOnce: 64, perSecond: 16 },
} as const;

export interface ConnectionQueueActions<Request> {
  /**
   * Makes the connection and resolves when it is open. If the signal is aborted, closes the connection and resolves early. Never
   * rejects.
   */
  connect(request: Request, signal: AbortSignal): Promise<void>;
  /** Tells the watcher to ask again later. */
  refuse(request: Request): void;
}

export interface ConnectionQueue<Request> {
  ask(request: Request): void;
  /** Closes every connection that is being made. */
  close(): void;
}

export interface ConnectionQueueOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface Connecting {
  readonly since: number;
  readonly abort: AbortController;
  readonly atTheLatest: ReturnType<typeof setTimeout>;
}

export function createConnectionQueue<Request>(
  end: ConnectionQueueActions<Request>,
  { now = () => performance.now() }: ConnectionQueueOptions = {},
): ConnectionQueue<Request> {
  const pace = createRateLimiter(connectionQueueLimits.pace, now);
  /** Oldest first, like `connecting`. */
  const waiting: Request[] = [];
  const connecting = new Set<Connecting>();
  let next: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const begin = (request: Request) => {
    const abort = new AbortController();
    const atTheLatest = setTimeout(() => abort.abort(), connectionQueueLimits.mostMs);
    const one: Connecting = { since: now(), abort, atTheLatest };
    connecting.add(one);
    void end.connect(request, abort.signal).then(() => {
      clearTimeout(atTheLatest);
      connecting.delete(one);
      serve();
    });
  };
  /** Begins connections while places are free. If requests still wait, the oldest connection attempt ends after its `shareMs`. */
  const serve = () => {
    clearTimeout(next);
    if (isClosed) return;
    while (waiting.length > 0 && connecting.size < connectionQueueLimits.connecting)
      begin(waiting.pop() as Request);
    const [oldest] = connecting;
    if (waiting.length === 0 || !oldest) return;
    const waitMs = oldest.since + connectionQueueLimits.shareMs - now();
    if (waitMs > 0) next = setTimeout(serve, waitMs);
    else oldest.abort.abort();
  };
  return {
    ask(request) {
      if (isClosed || !pace.take()) return;
      waiting.push(request);
      serve();
      const tooMany = waiting.length > connectionQueueLimits.waiting ? waiting.shift() : undefined;
      if (tooMany !== undefined) end.refuse(tooMany);
    },
    close() {
      isClosed = true;
      clearTimeout(next);
      waiting.length = 0;
      for (const { abort, atTheLatest } of connecting) {
        clearTimeout(atTheLatest);
        abort.abort();
      }
    },
  };
}
