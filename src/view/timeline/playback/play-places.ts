/** The places at which the playback of a run pauses: after each event and each reply of a mod. Pure. */
import type { TraceRecord } from "../../../core/trace/format/format.ts";

/** Runs with more records are not played back, because each step back reads the run from its beginning. */
export const maxPlaybackRecords = 100_000;

/**
 * The number of records written at each place, ascending; the last place is the end of the run. A record that is
 * written together with another has no place of its own.
 */
export function recordCountsAtStops(records: readonly TraceRecord[]): readonly number[] {
  const places: number[] = [];
  for (const [number, record] of records.entries()) if (isPlace(record)) places.push(number + 1);
  if (places.at(-1) !== records.length && records.length > 0) places.push(records.length);
  return places;
}

function isPlace(record: TraceRecord): boolean {
  if (record.type === "forwardPass") return record.before !== null;
  return record.type !== "request" && record.type !== "adjusted" && record.type !== "scored";
}

/** The first place at which the record with this number is shown. */
export function playbackStopOfRecord(places: readonly number[], record: number): number {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) > record) high = middle;
    else low = middle + 1;
  }
  return low;
}
