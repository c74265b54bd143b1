/**
 * The sharer's end of a live run. There is no queue for a watcher: for each watcher the number of its next record is kept, so
 * watchers who join late or have a slow connection get the same records later.
 *
 * Example: a run will have 206 records. Watcher A greets, and gets `hello`. The run begins: A gets `run` and 5 records. 60 more
 * are written, and watcher B greets: A gets the 60, and B gets `hello`, `run` and all 65. The last 141 are too long for one
 * message (`next-records.ts`), so both get 110, then 31, then `ended`. On `stop`, both get `over`.
 *
 * Each connection has two parts. `createWatcherMessageReader` reads what the watcher sends: one greeting, then confirmations
 * (`taken`); any other message cuts the connection. `createPacedSender` says when the watcher may get its next message: not
 * while 127 messages or 256 KB are unconfirmed, and messages of one frame (16 KB) not faster than `sendPace`.
 *
 * Rules:
 * - A connection counts as a watcher only after its greeting, which must come within 5 seconds.
 * - Each watcher has one loop (`#sendAll`) that sends until the watcher has everything; `isBusy` refuses a second loop.
 * - `follow` replaces the shared run: every watcher gets `run` and the new run's records from the first one on.
 * - `stop` is final: later calls of `admit` cut the connection, and later calls of `follow` do nothing.
 */
import { messageOf } from "../../core/base/message-of.ts";
import { nextTask } from "../../core/base/next-task.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { Connection } from "./connection.ts";
import { splitIntoFrames } from "./framing.ts";
import { createWatcherMessageReader } from "./greeting.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { createRecordFramer } from "./next-records.ts";
import { createPacedSender, type PacedSender } from "./outbox.ts";
import type { SharerKey, SharerProof } from "./proof.ts";
import { helloMessage, type SharerMessage, serializeMessage } from "./protocol.ts";

/** Where a watcher is: in another tab of this browser, or in another browser or machine. */
export type WatcherTransport = "tabs" | "peers";

/** A run in progress, with the records so far. */
export interface GrowingRun {
  readonly trace: { readonly records: readonly TraceRecord[] };
  /** Calls `listener` whenever records were added, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Resolves after the last record, with the reason why the run failed; null if it did not fail. */
  readonly ended: Promise<string | null>;
}

/** A connected watcher, for the list on the page. */
export interface Watcher {
  /** Watchers are numbered from 1 in the order of their arrival. */
  readonly number: number;
  readonly way: WatcherTransport;
  /** When the watcher connected, in milliseconds since 1970. */
  readonly since: number;
}

export interface Sharing {
  readonly watchers: readonly Watcher[];
  /** Accepts a connection. Its other end counts as a watcher after a valid greeting. */
  admit(connection: Connection, way: WatcherTransport): void;
  /** Shares this run from now on, instead of the run before. `maker`: the name of the person who made it, if it is to be shown. */
  follow(run: GrowingRun, maker?: string): void;
  setPaused(isPaused: boolean): void;
  /** Tells all watchers that sharing has ended, and closes their connections. */
  stop(): void;
}

interface SharingOptions {
  readonly key: SharerKey;
  /** Called when a watcher connected or left. */
  readonly onWatchers: () => void;
  readonly now?: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** The run that is shared, and its state. */
interface SharedRun {
  readonly run: GrowingRun;
  readonly nextRecords: ReturnType<typeof createRecordFramer>;
  /** Undefined while the run is in progress. */
  failure: string | null | undefined;
  readonly unwatch: () => void;
}

interface Watching extends Watcher {
  readonly connection: Connection;
  readonly outbox: PacedSender;
  /** The part of the run that this watcher was sent. */
  sent: { readonly shared: SharedRun | null; records: number; isPaused: boolean; isEnded: boolean };
  isBusy: boolean;
}

const say = (outbox: PacedSender, message: SharerMessage) =>
  outbox.send(splitIntoFrames(serializeMessage(message)));

export function createSharing(options: SharingOptions): Sharing {
  return new RunSharing(options);
}

class RunSharing implements Sharing {
  readonly #key: SharerKey;
  readonly #onWatchers: () => void;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #watching = new Set<Watching>();
  /** Connections without a greeting, oldest first. */
  readonly #ungreeted = new Set<Connection>();
  #shared: SharedRun | null = null;
  #isPaused = false;
  #isStopped = false;
  #count = 0;

  constructor({ key, onWatchers, now = Date.now, clock = () => performance.now() }: SharingOptions) {
    this.#key = key;
    this.#onWatchers = onWatchers;
    this.#now = now;
    this.#clock = clock;
  }

  get watchers(): readonly Watcher[] {
    return [...this.#watching].map(({ number, way, since }) => ({ number, way, since }));
  }

  admit(connection: Connection, way: WatcherTransport): void {
    if (this.#isStopped) {
      connection.cut();
      return;
    }
    this.#makeRoom();
    this.#ungreeted.add(connection);
    let watcher: Watching | null = null;
    const read = createWatcherMessageReader(connection.binding, this.#key, {
      greeted: (proof) => {
        clearTimeout(tooLate);
        this.#ungreeted.delete(connection);
        watcher = this.#welcome(connection, way, proof);
      },
      taken: (messages) => watcher?.outbox.taken(messages),
    });
    let isGone = false;
    const leave = (cuts: boolean) => {
      isGone = true;
      clearTimeout(tooLate);
      this.#lose(connection, watcher);
      if (cuts) connection.cut();
    };
    const tooLate = setTimeout(() => leave(true), liveLimits.greetingMs);
    connection.listen({
      frame: (frame) => {
        if (isGone || (!watcher && !this.#ungreeted.has(connection))) return;
        try {
          read(frame);
        } catch (cause) {
          leave(true);
          if (!(cause instanceof LiveError)) throw cause;
        }
      },
      closed: () => leave(false),
    });
  }

  follow(run: GrowingRun, maker = ""): void {
    if (this.#isStopped) return;
    this.#shared?.unwatch();
    const next: SharedRun = {
      run,
      nextRecords: createRecordFramer(run.trace, maker),
      failure: undefined,
      unwatch: run.watch(() => this.#sendToAll()),
    };
    this.#shared = next;
    this.#isPaused = false;
    this.#sendToAll();
    const end = (failure: string | null) => {
      next.failure = failure;
      if (this.#shared === next) this.#sendToAll();
    };
    run.ended.then(end, (cause: unknown) => end(messageOf(cause)));
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#sendToAll();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#shared?.unwatch();
    for (const { connection, outbox } of this.#watching) {
      say(outbox, { type: "over", why: "stopped" });
      outbox.close();
      connection.close();
    }
    for (const connection of this.#ungreeted) connection.cut();
    this.#watching.clear();
    this.#ungreeted.clear();
    this.#onWatchers();
  }

  /** Cuts the oldest connection without a greeting if their number is at the limit. */
  #makeRoom(): void {
    const [oldest] = this.#ungreeted;
    if (!oldest || this.#ungreeted.size < liveLimits.ungreeted) return;
    this.#ungreeted.delete(oldest);
    oldest.cut();
  }

  #welcome(connection: Connection, way: WatcherTransport, proof: SharerProof): Watching | null {
    const outbox = createPacedSender(connection, this.#clock);
    say(outbox, helloMessage(proof));
    // A watcher who comes when all places are taken still gets the proof, and then the reason.
    if (this.#watching.size >= liveLimits.watchers) {
      say(outbox, { type: "over", why: "full" });
      connection.close();
      return null;
    }
    this.#count += 1;
    const watcher: Watching = {
      number: this.#count,
      way,
      since: this.#now(),
      connection,
      outbox,
      sent: { shared: null, records: 0, isPaused: false, isEnded: false },
      isBusy: false,
    };
    this.#watching.add(watcher);
    this.#onWatchers();
    void this.#sendAll(watcher);
    return watcher;
  }

  #lose(connection: Connection, watcher: Watching | null): void {
    this.#ungreeted.delete(connection);
    if (!watcher) return;
    watcher.outbox.close();
    if (this.#watching.delete(watcher)) this.#onWatchers();
  }

  #sendToAll(): void {
    for (const watcher of this.#watching) void this.#sendAll(watcher);
  }

  async #sendAll(watcher: Watching): Promise<void> {
    if (watcher.isBusy) return;
    watcher.isBusy = true;
    for (;;) {
      // A call during this wait returns at once: this loop sends what that call is about, too.
      await watcher.outbox.ready();
      if (!this.#watching.has(watcher)) return;
      if (this.#shared && watcher.sent.shared !== this.#shared) {
        say(watcher.outbox, { type: "run" });
        watcher.sent = { shared: this.#shared, records: 0, isPaused: false, isEnded: false };
      }
      if (!this.#sendNext(watcher)) break;
      // A long run is written in pieces; the page can draw between them.
      await nextTask();
    }
    watcher.isBusy = false;
  }

  /** Sends the watcher its next message. Returns false if the watcher has everything. */
  #sendNext({ outbox, sent }: Watching): boolean {
    const shared = this.#shared;
    if (!shared) return false;
    if (sent.records < shared.run.trace.records.length) {
      const next = shared.nextRecords(sent.records);
      // A record that is too long for a message ends the run for this watcher.
      if (next instanceof LiveError) {
        say(outbox, { type: "ended", failure: next.message });
        Object.assign(sent, { records: Number.POSITIVE_INFINITY, isEnded: true });
        return true;
      }
      outbox.send(next.frames);
      sent.records = next.end;
    } else if (sent.isPaused !== this.#isPaused && !sent.isEnded) {
      say(outbox, { type: "paused", isPaused: this.#isPaused });
      sent.isPaused = this.#isPaused;
    } else if (shared.failure !== undefined && !sent.isEnded) {
      say(outbox, { type: "ended", failure: shared.failure });
      sent.isEnded = true;
    } else return false;
    return true;
  }
}
