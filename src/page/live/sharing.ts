/**
 * The end of a live run that shares it. Nothing is queued for a watcher: each has its place in the records of the run, so that
 * a watcher who comes late or whose connection is slow gets the same records, later.
 */
import { messageOf } from "../../core/base/message-of.ts";
import { nextTask } from "../../core/base/next-task.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { Connection } from "./connection.ts";
import { framesOf } from "./framing.ts";
import { createGreeting } from "./greeting.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { createNextRecords } from "./next-records.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import type { SharerKey, SharerProof } from "./proof.ts";
import { helloOf, type LiveMessage, messageText } from "./protocol.ts";

/** How a watcher came: from another tab of this browser, or from another browser or machine. */
export type Way = "tabs" | "peers";

/** A run whose records come. */
export interface GrowingRun {
  readonly trace: { readonly records: readonly TraceRecord[] };
  /** Calls `listener` whenever records have come, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Resolves after the last record: why the run failed, or null. */
  readonly ended: Promise<string | null>;
}

/** Who watches. */
export interface Watcher {
  /** Counted from 1 as they come. */
  readonly number: number;
  readonly way: Way;
  /** When it came, in milliseconds since 1970. */
  readonly since: number;
}

export interface Sharing {
  readonly watchers: readonly Watcher[];
  /** Accepts a connection. Whoever came is a watcher once it has greeted. */
  admit(connection: Connection, way: Way): void;
  /** Shares this run from now on, in place of the one before. `maker`: the name of who makes it, if it is to be said. */
  follow(run: GrowingRun, maker?: string): void;
  setPaused(isPaused: boolean): void;
  /** Says to all watchers that it is over, and closes their connections. */
  stop(): void;
}

interface SharingOptions {
  readonly key: SharerKey;
  /** Called when someone came or went. */
  readonly onWatchers: () => void;
  readonly now?: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

/** The run that is shared, and its state. */
interface SharedRun {
  readonly run: GrowingRun;
  readonly nextRecords: ReturnType<typeof createNextRecords>;
  /** Undefined while it goes on. */
  failure: string | null | undefined;
  readonly unwatch: () => void;
}

interface Watching extends Watcher {
  readonly connection: Connection;
  readonly outbox: Outbox;
  /** The part of the run that was sent. */
  sent: { readonly shared: SharedRun | null; records: number; isPaused: boolean; isEnded: boolean };
  isBusy: boolean;
}

const say = (outbox: Outbox, message: LiveMessage) => outbox.send(framesOf(messageText(message)));

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the watchers
export function createSharing({
  key,
  onWatchers,
  now = Date.now,
  clock = () => performance.now(),
}: SharingOptions): Sharing {
  const watching = new Set<Watching>();
  /** Connections whose watcher has not greeted, the oldest first. */
  const ungreeted = new Set<Connection>();
  let shared: SharedRun | null = null;
  let isPaused = false;
  let isStopped = false;
  let count = 0;

  /** Sends a watcher the next message that it has not got yet. False if it has all. */
  const sendNext = ({ outbox, sent }: Watching): boolean => {
    if (!shared) return false;
    const { length } = shared.run.trace.records;
    if (sent.records < length) {
      const next = shared.nextRecords(sent.records);
      if (next instanceof LiveError) {
        say(outbox, { type: "ended", failure: next.message });
        Object.assign(sent, { records: Number.POSITIVE_INFINITY, isEnded: true });
        return true;
      }
      outbox.send(next.frames);
      sent.records = next.end;
    } else if (sent.isPaused !== isPaused && !sent.isEnded) {
      say(outbox, { type: "paused", isPaused });
      sent.isPaused = isPaused;
    } else if (shared.failure !== undefined && !sent.isEnded) {
      say(outbox, { type: "ended", failure: shared.failure });
      sent.isEnded = true;
    } else return false;
    return true;
  };

  const sendAll = async (watcher: Watching) => {
    if (watcher.isBusy) return;
    watcher.isBusy = true;
    for (;;) {
      await watcher.outbox.ready();
      if (!watching.has(watcher)) return;
      if (shared && watcher.sent.shared !== shared) {
        say(watcher.outbox, { type: "run" });
        watcher.sent = { shared, records: 0, isPaused: false, isEnded: false };
      }
      if (!sendNext(watcher)) break;
      // A long run is written in pieces, between which the page draws.
      await nextTask();
    }
    watcher.isBusy = false;
  };
  const sendToAll = () => {
    for (const watcher of watching) void sendAll(watcher);
  };

  const welcome = (connection: Connection, way: Way, proof: SharerProof): Watching | null => {
    const outbox = createOutbox(connection, clock);
    say(outbox, helloOf(proof));
    if (watching.size >= liveLimits.watchers) {
      say(outbox, { type: "over", why: "full" });
      connection.close();
      return null;
    }
    count += 1;
    const sent = { shared: null, records: 0, isPaused: false, isEnded: false };
    const watcher: Watching = { number: count, way, since: now(), connection, outbox, sent, isBusy: false };
    watching.add(watcher);
    onWatchers();
    void sendAll(watcher);
    return watcher;
  };

  const lose = (connection: Connection, watcher: Watching | null) => {
    ungreeted.delete(connection);
    if (!watcher) return;
    watcher.outbox.close();
    if (watching.delete(watcher)) onWatchers();
  };

  return {
    get watchers() {
      return [...watching].map(({ number, way, since }) => ({ number, way, since }));
    },
    admit(connection, way) {
      if (isStopped) return connection.cut();
      const [oldest] = ungreeted;
      if (oldest && ungreeted.size >= liveLimits.ungreeted) {
        ungreeted.delete(oldest);
        oldest.cut();
      }
      ungreeted.add(connection);
      let watcher: Watching | null = null;
      const read = createGreeting(connection.binding, key, {
        greeted(proof) {
          clearTimeout(tooLate);
          ungreeted.delete(connection);
          watcher = welcome(connection, way, proof);
        },
        taken: (messages) => watcher?.outbox.taken(messages),
      });
      let isGone = false;
      const leave = (cuts: boolean) => {
        isGone = true;
        clearTimeout(tooLate);
        lose(connection, watcher);
        if (cuts) connection.cut();
      };
      const tooLate = setTimeout(() => leave(true), liveLimits.greetingMs);
      connection.listen({
        frame(frame) {
          if (isGone || (!watcher && !ungreeted.has(connection))) return;
          try {
            read(frame);
          } catch (cause) {
            leave(true);
            if (!(cause instanceof LiveError)) throw cause;
          }
        },
        closed: () => leave(false),
      });
    },
    follow(run, maker = "") {
      if (isStopped) return;
      shared?.unwatch();
      const next: SharedRun = {
        run,
        nextRecords: createNextRecords(run.trace, maker),
        failure: undefined,
        unwatch: run.watch(sendToAll),
      };
      shared = next;
      isPaused = false;
      sendToAll();
      const end = (failure: string | null) => {
        next.failure = failure;
        if (shared === next) sendToAll();
      };
      run.ended.then(end, (cause: unknown) => end(messageOf(cause)));
    },
    setPaused(paused) {
      isPaused = paused;
      sendToAll();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      shared?.unwatch();
      for (const { connection, outbox } of watching) {
        say(outbox, { type: "over", why: "stopped" });
        outbox.close();
        connection.close();
      }
      for (const connection of ungreeted) connection.cut();
      watching.clear();
      ungreeted.clear();
      onWatchers();
    },
  };
}
