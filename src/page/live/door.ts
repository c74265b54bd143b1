/**
 * Decides which of the watchers who ask by the signalling server are connected, and when. Each connection costs the sharer
 * memory and time before its watcher has proved anything, so only some are made at a time. Watchers who ask during a flood
 * still get in: the newest is served first, and who has had its time makes room.
 */
import { createAllowance } from "./allowance.ts";

export const doorLimits = {
  /** Connections that are being made at a time. */
  connecting: 8,
  /** Watchers who wait for one of them. */
  waiting: 16,
  /** Milliseconds that a connection may take while others wait, and at most. */
  shareMs: 3_000,
  mostMs: 10_000,
  /** Requests that are looked at; further ones are dropped without an answer. */
  pace: { atOnce: 64, perSecond: 16 },
} as const;

export interface DoorEnd<Request> {
  /** Makes the connection until it is open; ends early, and closes it, once the signal is aborted. Never rejects. */
  connect(request: Request, signal: AbortSignal): Promise<void>;
  /** Says that the watcher should ask again later. */
  refuse(request: Request): void;
}

export interface Door<Request> {
  ask(request: Request): void;
  /** Ends every connection that is being made. */
  close(): void;
}

export interface DoorOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

interface Connecting {
  readonly since: number;
  readonly abort: AbortController;
  readonly atTheLatest: ReturnType<typeof setTimeout>;
}

export function createDoor<Request>(
  end: DoorEnd<Request>,
  { now = () => performance.now() }: DoorOptions = {},
): Door<Request> {
  const pace = createAllowance(doorLimits.pace, now);
  /** The oldest first, in both. */
  const waiting: Request[] = [];
  const connecting = new Set<Connecting>();
  let next: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const begin = (request: Request) => {
    const abort = new AbortController();
    const atTheLatest = setTimeout(() => abort.abort(), doorLimits.mostMs);
    const one: Connecting = { since: now(), abort, atTheLatest };
    connecting.add(one);
    void end.connect(request, abort.signal).then(() => {
      clearTimeout(atTheLatest);
      connecting.delete(one);
      serve();
    });
  };
  /** Begins what there is room for. If others wait then, the oldest connection ends once it has had its share of time. */
  const serve = () => {
    clearTimeout(next);
    if (isClosed) return;
    while (waiting.length > 0 && connecting.size < doorLimits.connecting) begin(waiting.pop() as Request);
    const [oldest] = connecting;
    if (waiting.length === 0 || !oldest) return;
    const waitMs = oldest.since + doorLimits.shareMs - now();
    if (waitMs > 0) next = setTimeout(serve, waitMs);
    else oldest.abort.abort();
  };
  return {
    ask(request) {
      if (isClosed || !pace.take()) return;
      waiting.push(request);
      serve();
      const tooMany = waiting.length > doorLimits.waiting ? waiting.shift() : undefined;
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
