/** The records of a run as messages, some at a time, from any place on. */

import { signedRecord } from "../../core/trace/file/maker.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { type Frame, framesOf } from "./framing.ts";
import { LiveError } from "./limits.ts";
import { recordsText, recordText } from "./protocol.ts";

/** Some records in frames. */
export interface RecordFrames {
  readonly frames: readonly Frame[];
  /** The number of the first record that is not among them. */
  readonly end: number;
}

/** UTF-16 units after which a message takes no further record: so little that writing it takes no time that anyone notices. */
const enough = 32_768;

/**
 * @param maker the name of the run's maker, which is put into the records; none if it is empty.
 * @returns a function that returns the records from a number on, of which there is at least one, or the reason why
 * they cannot be sent. Its last result is remembered, because watchers who keep up ask for the same.
 */
export function createNextRecords(
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
      const text = recordText(signedRecord(records[end] as TraceRecord, maker));
      if (texts.length > 0 && characters + text.length > enough) break;
      texts.push(text);
      characters += text.length;
    }
    try {
      const next = { frames: framesOf(recordsText(texts)), end };
      last = { start, length: records.length, next };
      return next;
    } catch (cause) {
      if (!(cause instanceof LiveError)) throw cause;
      return new LiveError(
        "The run has a prompt or mods too long to be watched live. Ask for its file or link, once it has ended.",
      );
    }
  };
}
