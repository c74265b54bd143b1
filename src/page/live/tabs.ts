/**
 * Connects tabs of one browser, over BroadcastChannel: watchers ask in the channel of the room, and each connection has a channel
 * of its own. A tab that is closed or crashes sends nothing; the other end notices because the tab's Web Lock is released.
 */
import { isRecord } from "../../core/base/record.ts";
import { createRateLimiter } from "./allowance.ts";
import type { Connection, ConnectionCallbacks, Transport } from "./connection.ts";
import type { Frame } from "./framing.ts";
import { LiveError } from "./limits.ts";
import { newNonce } from "./proof.ts";

export interface TabTransportOptions {
  /** Undefined if the page is not secure: a crash of the other tab is not noticed then. */
  readonly locks: LockManager | undefined;
  /** Milliseconds for which a watcher waits for an answer. */
  readonly answerMs?: number;
}

/** Background tabs are slow to answer. */
const usualAnswerMs = 1_500;

/** Milliseconds for which messages of a closed end may still arrive. */
const lastWordsMs = 1_000;

/** How often a sharer answers watchers. Further requests get no answer: each answer costs a channel and two locks. */
const answerPace = { atOnce: 64, perSecond: 8 };

/** Whether the text is the id of a connection; the watcher generates the id. */
const isConnectionId = (id: unknown): id is string => typeof id === "string" && /^[0-9a-f]{32}$/.test(id);

type Side = "sender" | "watcher";

const other: Readonly<Record<Side, Side>> = { sender: "watcher", watcher: "sender" };

const roomName = (room: string) => `midtoken.live ${room}`;
const connectionName = (room: string, connection: string) => `${roomName(room)} ${connection}`;

export function createTabTransport({ locks, answerMs = usualAnswerMs }: TabTransportOptions): Transport {
  return {
    async open(room, end) {
      const channel = new BroadcastChannel(roomName(room));
      const pace = createRateLimiter(answerPace, () => performance.now());
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (!isRecord(data) || !isConnectionId(data.join) || !pace.take()) return;
        void createConnection({ name: connectionName(room, data.join), side: "sender", locks }).then(
          ({ connection, post }) => {
            post({ joined: true });
            end.connection(connection);
          },
        );
      };
      end.reachable(true);
      return { close: () => channel.close() };
    },
    async join(room, signal) {
      signal.throwIfAborted();
      const id = newNonce();
      const { connection, joined } = await createConnection({
        name: connectionName(room, id),
        side: "watcher",
        locks,
      });
      const channel = new BroadcastChannel(roomName(room));
      channel.postMessage({ join: id });
      channel.close();
      try {
        await orGiveUp(joined, signal, answerMs);
        return connection;
      } catch (cause) {
        connection.close();
        throw cause;
      }
    },
  };
}

/** @throws LiveError after `ms` milliseconds; the signal's reason once the signal is aborted */
function orGiveUp(answer: Promise<void>, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new LiveError("No tab in this browser is sharing this run.")), ms);
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    void answer.then(resolve);
    void answer.catch(() => {}).finally(() => clearTimeout(timer));
  });
}

interface ConnectionOptions extends Pick<TabTransportOptions, "locks"> {
  readonly name: string;
  readonly side: Side;
}

interface TabConnection {
  readonly connection: Connection;
  readonly post: (message: object) => void;
  /** Resolves when the other end has announced itself. */
  readonly joined: Promise<void>;
}

/** Resolves when this end holds its lock, so that the other end can wait for the lock's release. */
async function createConnection({ name, side, locks }: ConnectionOptions): Promise<TabConnection> {
  const channel = new BroadcastChannel(name);
  const gone = new AbortController();
  let end: ConnectionCallbacks | null = null;
  let isJoined = false;
  const isClosed = () => gone.signal.aborted;
  const post = (message: object) => {
    if (!isClosed()) channel.postMessage(message);
  };
  const leave = () => {
    gone.abort();
    channel.close();
  };
  const isLeft = () => {
    if (isClosed()) return;
    leave();
    end?.closed();
  };
  let isThere: () => void = () => {};
  const joined = new Promise<void>((resolve) => {
    isThere = resolve;
  });
  const watchOther = () => {
    locks
      ?.request(`${name} ${other[side]}`, { signal: gone.signal, mode: "shared" }, () => {
        // The other end's last message may arrive after its lock is released.
        setTimeout(isLeft, lastWordsMs);
      })
      // Aborted, because this end was closed first.
      .catch(() => {});
  };
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isClosed() || !isRecord(data)) return;
    if (data.frame instanceof Uint8Array) end?.frame(data.frame);
    else if (data.joined === true && side === "watcher" && !isJoined) {
      isJoined = true;
      watchOther();
      isThere();
    } else isLeft();
  };
  await holdLock(`${name} ${side}`, gone.signal, locks);
  if (side === "sender") watchOther();
  const close = () => {
    post({ close: true });
    leave();
  };
  const connection: Connection = {
    binding: name,
    listen(listening) {
      end = listening;
    },
    send: (frame: Frame) => post({ frame }),
    close,
    cut: close,
  };
  return { connection, post, joined };
}

/** Resolves when the lock is held. The lock is released when the signal is aborted, or with the page. */
function holdLock(name: string, gone: AbortSignal, locks: LockManager | undefined): Promise<void> {
  if (!locks) return Promise.resolve();
  return new Promise((resolve) => {
    const untilGone = new Promise<void>((release) => gone.addEventListener("abort", () => release()));
    void locks.request(name, () => {
      resolve();
      return untilGone;
    });
  });
}
