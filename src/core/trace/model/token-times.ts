/** The time range of each token, and the token at each time. Pure. */

import type { TokenRange } from "./selection.ts";
import { firstIndexAtLeast } from "./time-spans.ts";
import type { TraceModel } from "./trace-model.ts";
import { recordOf } from "./trace-view.ts";

/** Microseconds since the request began. */
export interface TimeRange {
  readonly fromUs: number;
  readonly toUs: number;
}

type Timed = Pick<TraceModel, "tokens" | "records">;

/** The time from the token before to this token. Tokens that were added together share the time equally. */
export function timeOfToken(model: Timed, index: number): TimeRange {
  const { tokens } = model;
  const added = recordOf(model, tokens.addedRecord[index], "added");
  if (!added) return { fromUs: 0, toUs: 0 };
  const fromUs = tokens.timeUs[added.index - 1] ?? 0;
  const each = Math.max(0, added.timeUs - fromUs) / added.tokens.length;
  const place = index - added.index;
  return { fromUs: fromUs + each * place, toUs: fromUs + each * (place + 1) };
}

/** From the beginning of the range's first token to the end of its last. The range has at least one token. */
export function timeOfRange(model: Timed, { first, end }: TokenRange): TimeRange {
  return { fromUs: timeOfToken(model, first).fromUs, toUs: timeOfToken(model, end - 1).toUs };
}

/** Index of the token that was made at a time; after the end, the last token. 0 if there are no tokens. */
export function tokenAtTime(model: Timed, timeUs: number): number {
  const { tokens } = model;
  const last = tokens.timeUs.length - 1;
  const index = Math.min(firstIndexAtLeast(tokens.timeUs, timeUs), last);
  const added = recordOf(model, tokens.addedRecord[index], "added");
  if (!added) return 0;
  const { fromUs } = timeOfToken(model, added.index);
  const share = ((timeUs - fromUs) / Math.max(1e-9, added.timeUs - fromUs)) * added.tokens.length;
  return added.index + Math.max(0, Math.min(added.tokens.length - 1, Math.floor(share)));
}

/** The end of the time axis: the time of the last record that has a time; 0 if none has. */
export function runDurationUs({ records }: Pick<TraceModel, "records">): number {
  for (let number = records.length - 1; number >= 0; number -= 1) {
    const record = records[number];
    if (record && "timeUs" in record) return record.timeUs;
  }
  return 0;
}
