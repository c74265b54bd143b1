/** Turns the messages that a watcher receives into checked records of runs. Nothing is trusted, and nothing is run. */
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { createRecordCheck } from "../../core/trace/parse/parse-records.ts";
import { LiveError, liveLimits } from "./limits.ts";
import type { SharerProof } from "./proof.ts";
import { parseSharerMessage, type SharerMessage } from "./protocol.ts";

/** Receives the run that is watched. */
export interface WatchSink {
  /** A run begins; the run before is over. */
  run(): void;
  /** Records, each checked together with all records before it. */
  records(records: readonly TraceRecord[]): void;
  paused(isPaused: boolean): void;
  /** The run has ended: no further records follow. */
  ended(failure: string | null): void;
  /** Sharing has ended: nothing more follows. */
  over(why: Extract<SharerMessage, { type: "over" }>["why"]): void;
}

/**
 * @param isSharer whether the proof comes from the page that made the link, for this connection
 * @returns a function that reads one message. It throws LiveError or TraceError, and nothing else, for invalid messages; the
 * caller then closes the connection.
 */
export function createSharerMessageReader(
  sink: WatchSink,
  isSharer: (proof: SharerProof) => boolean,
): (text: string) => void {
  let isGreeted = false;
  let run: ReadingRun | null = null;
  let isPaused = false;
  let isOver = false;
  const greet = ({ proof }: Extract<SharerMessage, { type: "hello" }>) => {
    if (!isSharer(proof))
      throw new LiveError(
        "The page that answers at this link did not create the link. Do not watch this run: ask the person who shares it for a new link.",
      );
    isGreeted = true;
  };
  const take = (message: SharerMessage, length: number) => {
    if (isOver) throw new LiveError("The page received a message after the end of a live run.");
    if (isGreeted === (message.type === "hello"))
      throw new LiveError("The page that shares this run did not begin the connection correctly.");
    switch (message.type) {
      case "hello":
        greet(message);
        return;
      case "run":
        run = createReadingRun();
        isPaused = false;
        sink.run();
        return;
      case "records": {
        sink.records(current(run)(message.records, length));
        return;
      }
      case "paused":
        current(run);
        if (message.isPaused === isPaused)
          throw new LiveError("The page received two pauses, or two resumes, of a live run in a row.");
        isPaused = message.isPaused;
        sink.paused(isPaused);
        return;
      case "ended": {
        current(run);
        run = null;
        sink.ended(message.failure);
        return;
      }
      case "over":
        isOver = true;
        sink.over(message.why);
    }
  };
  return (text) => take(parseSharerMessage(text), text.length);
}

/** Checks the next records of a run. `length`: the characters of their message. */
type ReadingRun = (records: readonly unknown[], length: number) => readonly TraceRecord[];

function current(run: ReadingRun | null): ReadingRun {
  if (!run) throw new LiveError("The page received a message about a run that has not begun, or has ended.");
  return run;
}

function createReadingRun(): ReadingRun {
  let characters = 0;
  const check = createRecordCheck(null, false);
  return (records, length) => {
    characters += length;
    if (characters > liveLimits.runCharacters)
      throw new LiveError(
        `The run has more than ${liveLimits.runCharacters / 1_048_576} million characters, the limit for watching live. Once the run has ended, ask the person who shares it for its file.`,
      );
    return records.map(check);
  };
}
