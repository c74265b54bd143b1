/** The watcher's end of a connection: messages → checked records of runs. Trusts nothing that comes, and runs nothing. */
import type { TraceRecord } from "../trace/format.ts";
import { createMigration, type Migration } from "../trace/migrate.ts";
import { createRecordCheck } from "../trace/parse-records.ts";
import { LiveError, liveLimits } from "./limits.ts";
import type { SharerProof } from "./proof.ts";
import { type LiveMessage, parseLiveMessage } from "./protocol.ts";

/** Receives what is watched. */
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
 * @param isSharer whether the proof comes from the page that made the link, for this connection.
 * @returns a function that reads one message. It throws LiveError or TraceError, and nothing else, for whatever is no live run:
 *   close the connection then.
 */
export function createWatching(
  sink: WatchSink,
  isSharer: (proof: SharerProof) => boolean,
): (text: string) => void {
  let version: number | null = null;
  let run: ReadingRun | null = null;
  let isPaused = false;
  let isOver = false;
  const greet = ({ trace, proof }: Extract<LiveMessage, { type: "hello" }>) => {
    if (!isSharer(proof))
      throw new LiveError(
        "Whoever answers at this link is not the page that made it: watch nothing of theirs, and ask for a new link.",
      );
    version = trace;
  };
  const take = (message: LiveMessage, length: number) => {
    if (isOver) throw new LiveError("Something came after the end of a live run.");
    if ((version === null) !== (message.type === "hello"))
      throw new LiveError("A live run did not begin as one does.");
    switch (message.type) {
      case "hello":
        greet(message);
        return;
      case "run":
        run = createReadingRun(version ?? 0);
        isPaused = false;
        sink.run();
        return;
      case "records": {
        const records = current(run).take(message.records, length);
        if (records.length > 0) sink.records(records);
        return;
      }
      case "paused":
        current(run);
        if (message.isPaused === isPaused)
          throw new LiveError("A live run paused or went on twice in a row.");
        isPaused = message.isPaused;
        sink.paused(isPaused);
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
  return (text) => take(parseLiveMessage(text), text.length);
}

interface ReadingRun {
  take(records: readonly unknown[], length: number): readonly TraceRecord[];
  /** The records that waited for the record after them. */
  end(): readonly TraceRecord[];
}

function current(run: ReadingRun | null): ReadingRun {
  if (!run) throw new LiveError("Something came about a run that has not begun, or has ended.");
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
