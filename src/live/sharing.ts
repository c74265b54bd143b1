/**
 * The end of a live run that shares it. Nothing is queued for a watcher: each has its place in the records of the run, so that
 * one who comes late or whose line is slow gets the same records, later.
 */
import { messageOf } from "../base/message-of.ts";
import { nextTask } from "../base/next-task.ts";
import type { TraceRecord } from "../trace/format.ts";
import { createUnframing, framesOf } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";
import type { Line } from "./line.ts";
import { createNextRecords } from "./next-records.ts";
import { checkGreeting, hello, type LiveMessage, messageText } from "./protocol.ts";

/** How a watcher came: from another tab of this browser, or from another browser or machine. */
export type Way = "tabs" | "peers";

/** A run whose records come. */
export interface GrowingRun {
  readonly trace: { readonly records: readonly TraceRecord[] };
  /** Calls `listener` whenever records have come, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Once the last record has come: why the run broke down, or null. */
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
  /** Takes a watcher who came. It is one once it has greeted. */
  admit(line: Line, way: Way): void;
  /** Shares this run from now on, in place of the one before. `maker`: the name of who makes it, where that is to be said. */
  follow(run: GrowingRun, maker?: string): void;
  setPaused(isPaused: boolean): void;
  /** Tells all watchers that it is over, and lets go of them. */
  stop(): void;
}

interface SharingOptions {
  readonly room: string;
  /** Called when someone came or went. */
  readonly onWatchers: () => void;
  readonly now?: () => number;
}

/** The run that is shared, with how it stands. */
interface SharedRun {
  readonly run: GrowingRun;
  readonly nextRecords: ReturnType<typeof createNextRecords>;
  /** Undefined while it goes on. */
  failure: string | null | undefined;
  readonly unwatch: () => void;
}

interface Watching extends Watcher {
  readonly line: Line;
  /** What of the run it was told. */
  told: { readonly shared: SharedRun | null; records: number; isPaused: boolean; isEnded: boolean };
  isBusy: boolean;
}

export function createSharing({ room, onWatchers, now = Date.now }: SharingOptions): Sharing {
  const watching = new Set<Watching>();
  const strangers = new Set<Line>();
  let shared: SharedRun | null = null;
  let isPaused = false;
  let isStopped = false;
  let count = 0;

  const say = (line: Line, message: LiveMessage) => {
    for (const frame of framesOf(messageText(message))) line.send(frame);
  };

  /** Tells a watcher the next that it does not know yet. False where it knows all. */
  const tellNext = ({ line, told }: Watching): boolean => {
    if (!shared) return false;
    const { length } = shared.run.trace.records;
    if (told.records < length) {
      const next = shared.nextRecords(told.records);
      if (next instanceof LiveError) {
        say(line, { type: "ended", failure: next.message });
        Object.assign(told, { records: Number.POSITIVE_INFINITY, isEnded: true });
        return true;
      }
      for (const frame of next.frames) line.send(frame);
      told.records = next.end;
    } else if (told.isPaused !== isPaused) {
      say(line, { type: "paused", isPaused });
      told.isPaused = isPaused;
    } else if (shared.failure !== undefined && !told.isEnded) {
      say(line, { type: "ended", failure: shared.failure });
      told.isEnded = true;
    } else return false;
    return true;
  };

  const tell = async (watcher: Watching) => {
    if (watcher.isBusy) return;
    watcher.isBusy = true;
    for (;;) {
      await watcher.line.ready();
      if (!watching.has(watcher)) return;
      if (shared && watcher.told.shared !== shared) {
        say(watcher.line, { type: "run" });
        watcher.told = { shared, records: 0, isPaused: false, isEnded: false };
      }
      if (!tellNext(watcher)) break;
      // A long run is written in pieces, between which the page draws.
      await nextTask();
    }
    watcher.isBusy = false;
  };
  const tellAll = () => {
    for (const watcher of watching) void tell(watcher);
  };

  const welcome = (line: Line, way: Way): Watching | null => {
    strangers.delete(line);
    if (watching.size >= liveLimits.watchers) {
      say(line, hello);
      say(line, { type: "over", why: "full" });
      line.close();
      return null;
    }
    count += 1;
    const told = { shared: null, records: 0, isPaused: false, isEnded: false };
    const watcher: Watching = { number: count, way, since: now(), line, told, isBusy: false };
    watching.add(watcher);
    say(line, hello);
    onWatchers();
    void tell(watcher);
    return watcher;
  };

  return {
    get watchers() {
      return [...watching].map(({ number, way, since }) => ({ number, way, since }));
    },
    admit(line, way) {
      if (isStopped || strangers.size >= liveLimits.watchers) return line.close();
      strangers.add(line);
      let watcher: Watching | null = null;
      const unframe = createUnframing(liveLimits.greetingBytes);
      const tooLate = setTimeout(() => leave(true), liveLimits.greetingMs);
      const leave = (closes: boolean) => {
        clearTimeout(tooLate);
        strangers.delete(line);
        if (watcher && watching.delete(watcher)) onWatchers();
        if (closes) line.close();
      };
      line.listen({
        frame(frame) {
          try {
            // A watcher has nothing more to say.
            if (watcher) throw new LiveError("A watcher said more than its greeting.");
            const text = unframe(frame);
            if (text === null) return;
            checkGreeting(text, room);
            clearTimeout(tooLate);
            watcher = welcome(line, way);
          } catch (cause) {
            if (!(cause instanceof LiveError)) throw cause;
            leave(true);
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
        unwatch: run.watch(tellAll),
      };
      shared = next;
      isPaused = false;
      tellAll();
      const end = (failure: string | null) => {
        next.failure = failure;
        if (shared === next) tellAll();
      };
      run.ended.then(end, (cause: unknown) => end(messageOf(cause)));
    },
    setPaused(paused) {
      isPaused = paused;
      tellAll();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      shared?.unwatch();
      for (const { line } of watching) {
        say(line, { type: "over", why: "stopped" });
        line.close();
      }
      for (const line of strangers) line.close();
      watching.clear();
      strangers.clear();
      onWatchers();
    },
  };
}
