/** Writes the records of a run as messages of bounded size, starting at any record. */

import { recordWithAuthorName } from "../../core/trace/file/maker.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { type Frame, splitIntoFrames } from "./framing.ts";
import { LiveError } from "./limits.ts";
import { serializeRecord, serializeRecordsMessage } from "./protocol.ts";

/** Consecutive records, as one message in frames. */
export interface RecordFrames {
  readonly frames: readonly Frame[];
  /** The number of the first record after them. */
  readonly end: number;
}

/** UTF-16 units after which a message takes no further record: writing a message stays too short for users to notice. */
const enough = 32_768;

/**
 * @param maker name of the person who made the run, to be written into the records; empty for none. @returns a function that
 * takes the number of the first record to send (which must exist), and returns the frames, or an error that says why the records
 * cannot be sent. The last result is cached, because watchers that keep up ask for the same records.
 */
export function createRecordFramer(
  { records }: { readonly records: readonly TraceRecord[] },
  maker: string,
): (start: number) => RecordFrames | LiveError {
  let last: { readonly start: number; readonly length: number; readonly next: RecordFrames } | null = null;
  return (start) => {
    if (last?.start === start && (last.length === records.length || last.next.end < last.length))
      return last.next;
    const texts: string[] = [];
    let characters = 0;
    let end = start;
    for (; end < records.length && characters < enough; end += 1) {
      const text = serializeRecord(recordWithAuthorName(records[end] as TraceRecord, maker));
      if (texts.length > 0 && characters + text.length > enough) break;
      texts.push(text);
      characters += text.length;
    }
    try {
      const next = { frames: splitIntoFrames(serializeRecordsMessage(texts)), end };
      last = { start, length: records.length, next };
      return next;
    } catch (cause) {
      if (!(cause instanceof LiveError)) throw cause;
      return new LiveError(
        "The run’s prompt or mods are too long to be watched live. Once the run has ended, ask the person who shares it for its file or link.",
      );
    }
  };
}
