/** The watcher's end of a line: frames → checked records of runs. Trusts nothing that comes, and runs nothing. */
import type { TraceRecord } from "../trace/format.ts";
import { createMigration, type Migration } from "../trace/migrate.ts";
import { createRecordCheck } from "../trace/parse-records.ts";
import { createUnframing } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { type LiveMessage, parseLiveMessage } from "./protocol.ts";

/** Where what is watched goes. */
export interface WatchSink {
  /** A run begins; what was shown before is over. */
  run(): void;
  /** Records, each checked with all before it. */
  records(records: readonly TraceRecord[]): void;
  paused(isPaused: boolean): void;
  /** No more records of this run come. */
  ended(failure: string | null): void;
  /** Nothing more comes. */
  over(why: Extract<LiveMessage, { type: "over" }>["why"]): void;
}

/**
 * @returns what takes frames as they come, and throws LiveError or TraceError, and nothing else, for what is no live run: the
 *   line is to be closed then.
 */
export function createWatching(sink: WatchSink): (frame: Uint8Array) => void {
  const unframe = createUnframing(liveLimits.messageBytes);
  let version: number | null = null;
  let run: ReadingRun | null = null;
  let isOver = false;
  const take = (message: LiveMessage, length: number) => {
    if (isOver) throw new LiveError("Something came after the end of a live run.");
    if ((version === null) !== (message.type === "hello"))
      throw new LiveError("A live run did not begin as one does.");
    switch (message.type) {
      case "hello":
        version = message.trace;
        return;
      case "run":
        run = createReadingRun(version ?? 0);
        sink.run();
        return;
      case "records": {
        const records = current(run).take(message.records, length);
        if (records.length > 0) sink.records(records);
        return;
      }
      case "paused":
        sink.paused(message.isPaused);
        return;
      case "ended": {
        const last = current(run).end();
        if (last.length > 0) sink.records(last);
        run = null;
        sink.ended(message.failure);
        return;
      }
      case "over":
        isOver = true;
        sink.over(message.why);
    }
  };
  return (frame) => {
    const text = unframe(frame);
    if (text !== null) take(parseLiveMessage(text), text.length);
  };
}

interface ReadingRun {
  take(records: readonly unknown[], length: number): readonly TraceRecord[];
  /** What waited for the record after it. */
  end(): readonly TraceRecord[];
}

function current(run: ReadingRun | null): ReadingRun {
  if (!run) throw new LiveError("Records came of no run.");
  return run;
}

/** The records of one run, of whichever version, as the newest has them. */
function createReadingRun(version: number): ReadingRun {
  let checked: TraceRecord[] = [];
  let characters = 0;
  const check = createRecordCheck(null, false);
  const migration: Migration = createMigration(version, (record) => checked.push(check(record)));
  const taken = () => {
    const records = checked;
    checked = [];
    return records;
  };
  return {
    take(records, length) {
      characters += length;
      if (characters > liveLimits.runCharacters)
        throw new LiveError(
          `The run has more than the ${liveLimits.runCharacters / 1_048_576} million characters that are watched live. Ask who shares it for its file, once it has ended.`,
        );
      for (const record of records) migration.take(record);
      return taken();
    },
    end() {
      migration.end();
      return taken();
    },
  };
}
