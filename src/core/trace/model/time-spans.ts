/**
 * Time spans: passes of the model, sampling, each mod's calls. Each kind has one table, filled at its first use. Tracks,
 * charts and sums read only these tables and load later than the code that draws the text. A record holds the time when it was
 * written and the duration of its work, not the beginning. So the work ended at the record's time, with two exceptions: mods
 * that run at the same time are recorded one after another, and a speculative pass is recorded after the mods have replied.
 * Both exceptions are recognised by their duration: most of it lies before the record of the reply for which they would have
 * had to wait (`togetherWith`). So durations are exact, and beginnings are exact except for the time between a reply and its
 * record.
 */
import type { ForwardPassRecord, ModCallRecord, SampledRecord, TraceRecord } from "../format/format.ts";
import type { TokenRange } from "./selection.ts";

/**
 * Entry `i` of each column belongs to span `i`. Token numbers never decrease; times never decrease in a trace that the decode
 * loop wrote.
 */
export interface TimeSpanTable {
  /** Microseconds since the request began; `endUs` is at least `startUs`. */
  readonly startUs: number[];
  readonly endUs: number[];
  /** Index of the token for which the work was done. Work for several added tokens belongs to the last of them. */
  readonly token: number[];
  /** Number of the record that reports the work. */
  readonly record: number[];
}

export interface TimeSpans {
  /** Forward passes. Passes of the first token read the prompt. */
  readonly passes: TimeSpanTable;
  /** From the adjusted probabilities to the recorded choice of a token. */
  readonly sampling: TimeSpanTable;
  /** By the number of the mod: from its call to its reply. Empty for a mod that was never called. */
  readonly mods: readonly TimeSpanTable[];
}

/** A time at which work may have begun. */
interface Moment {
  readonly startUs: number;
  readonly timeUs: number;
}

/** Times to which later records may refer. */
interface Latest {
  /** The time at which the probabilities of the step were known, with the edits of the mods so far. */
  logitsUs: number;
  /** The time at which a token was added, before the mods are asked about it; then the time of the last reply. */
  added: Moment | null;
  /** The previous call, if it was at the same event. */
  call: (Moment & Pick<ModCallRecord, "event">) | null;
}

/** Time spans to which `takeRecord` adds. */
interface GrowingTimeSpans extends TimeSpans {
  readonly mods: TimeSpanTable[];
  readonly latest: Latest;
  /** Number of records read so far, and number of tokens that these records emitted. */
  taken: number;
  emitted: number;
}

/** The spans so far. Records only grow, so earlier spans stay valid. */
const known = new WeakMap<readonly TraceRecord[], GrowingTimeSpans>();

/** The spans of a trace model, or of a growing list of records. Returns the same object each time. */
export function timeSpansOf({ records }: { readonly records: readonly TraceRecord[] }): TimeSpans {
  const spans = known.get(records) ?? createTimeSpans();
  known.set(records, spans);
  for (; spans.taken < records.length; spans.taken += 1) {
    const record = records[spans.taken];
    if (!record) break;
    takeRecord(spans, record, spans.taken, spans.emitted);
    if (record.type === "added") spans.emitted += record.tokens.length;
  }
  return spans;
}

function createTimeSpans(): GrowingTimeSpans {
  const latest: Latest = { logitsUs: 0, added: null, call: null };
  return { passes: spanTable(), sampling: spanTable(), mods: [], latest, taken: 0, emitted: 0 };
}

/** @param number of the record. @param emitted tokens emitted before it. */
function takeRecord(spans: GrowingTimeSpans, record: TraceRecord, number: number, emitted: number): void {
  const { latest } = spans;
  if (record.type === "modCall") {
    takeCall(spans, record, number, emitted);
    return;
  }
  latest.call = null;
  if (record.type === "forwardPass") takePass(spans, record, number, emitted);
  else if (record.type === "sampled") takeSampled(spans, record, number, emitted);
  latest.added = record.type === "added" ? { startUs: record.timeUs, timeUs: record.timeUs } : null;
}

function spanTable(): TimeSpanTable {
  return { startUs: [], endUs: [], token: [], record: [] };
}

function push(
  table: TimeSpanTable,
  startUs: number,
  durationUs: number,
  token: number,
  record: number,
): void {
  const start = Math.max(0, startUs);
  table.startUs.push(start);
  table.endUs.push(start + durationUs);
  table.token.push(token);
  table.record.push(record);
}

/**
 * The beginning of a span that was recorded at `timeUs`: its duration before that time, or, if the span ran at the same time as
 * `other`, the beginning of `other`.
 */
function begin(timeUs: number, durationUs: number, other: Moment | null): number {
  const latest = timeUs - durationUs;
  return other && togetherWith(other, latest, durationUs) ? Math.min(latest, other.startUs) : latest;
}

function togetherWith({ timeUs }: Moment, startUs: number, durationUs: number): boolean {
  return timeUs - startUs > durationUs / 2;
}

function takePass(
  { passes, latest }: GrowingTimeSpans,
  { timeUs, durationUs, tokenCount }: ForwardPassRecord,
  number: number,
  emitted: number,
): void {
  latest.logitsUs = timeUs;
  if (tokenCount > 0) push(passes, begin(timeUs, durationUs, latest.added), durationUs, emitted, number);
}

function takeSampled(
  { sampling, latest }: GrowingTimeSpans,
  { timeUs }: SampledRecord,
  number: number,
  emitted: number,
): void {
  push(sampling, latest.logitsUs, Math.max(0, timeUs - latest.logitsUs), emitted, number);
}

function takeCall(
  { mods, latest }: GrowingTimeSpans,
  call: ModCallRecord,
  number: number,
  emitted: number,
): void {
  const { event, timeUs, durationUs, mod } = call;
  const startUs = begin(timeUs, durationUs, latest.call?.event === event ? latest.call : null);
  while (mods.length <= mod) mods.push(spanTable());
  const table = mods[mod];
  const token = isBefore.has(event) ? emitted : Math.max(0, emitted - 1);
  if (table) push(table, startUs, durationUs, token, number);
  latest.call = { event, startUs, timeUs };
  if (event === "forwardPass") latest.logitsUs = timeUs;
  if (event === "added" && latest.added) latest.added = { startUs: latest.added.startUs, timeUs };
}

/** Events that come before the token to which their mod calls belong. */
const isBefore: ReadonlySet<ModCallRecord["event"]> = new Set(["prefilled", "forwardPass", "sampled"]);

/** The numbers of the spans that belong to the tokens of a range. */
export function spanRangeOf({ token }: TimeSpanTable, { first, end }: TokenRange): TokenRange {
  return { first: firstIndexAtLeast(token, first), end: firstIndexAtLeast(token, end) };
}

/** The index of the first value that is at least `value`, in an ascending list; the list's length if there is none. */
export function firstIndexAtLeast(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
