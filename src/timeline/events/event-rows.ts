/** Rows of the event table: made one by one, as they come into view. Pure. */
import { callItem, eventSummary } from "../../trace/event-list.ts";
import type { EventItem } from "../../trace/trace-items.ts";
import type { TraceModel } from "../../trace/trace-model.ts";

export interface EventRow {
  readonly key: string;
  /** False for the answer of a mod, whose row stands below the row of its event. */
  readonly isEvent: boolean;
  readonly timeUs: number | null;
  readonly step: number;
  readonly name: string;
  readonly what: string;
  /** Index of the token that a click on the row goes to. */
  readonly token: number | null;
  readonly mod: number | null;
  readonly line: number | null;
  readonly isFault: boolean;
}

/** Which row is what: an event's row, then a row for each of its calls. */
export interface RowIndex {
  readonly count: number;
  /** For each event, the number of its row. */
  readonly starts: Uint32Array;
}

export function rowIndex({ events }: Pick<TraceModel, "events">): RowIndex {
  const starts = new Uint32Array(events.length);
  let count = 0;
  for (const { number, calls } of events) {
    starts[number] = count;
    count += 1 + calls.length;
  }
  return { count, starts };
}

/** @throws RangeError when there is no such row. */
export function rowAt(trace: TraceModel, { starts, count }: RowIndex, row: number): EventRow {
  const event = trace.events[eventOf(starts, row)];
  if (!event || row < 0 || row >= count) throw new RangeError(`No row ${row}: the table has ${count}.`);
  const place = row - (starts[event.number] ?? 0) - 1;
  return place < 0 ? ownRow(trace, event) : callRow(trace, event, event.calls[place] ?? 0);
}

/** The event whose row, or whose call's row, this is: the last that starts at it or before it. */
function eventOf(starts: Uint32Array, row: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

function ownRow(trace: TraceModel, event: EventItem): EventRow {
  return {
    key: `event ${event.number}`,
    isEvent: true,
    timeUs: trace.leftOut.has("timings") ? null : event.timeUs,
    step: event.step,
    name: event.type,
    what: eventSummary(trace, event),
    token: tokenOf(trace, event),
    mod: null,
    line: null,
    isFault: false,
  };
}

function callRow(trace: TraceModel, event: EventItem, record: number): EventRow {
  const item = callItem(trace, record);
  const logged = item?.call.console.slice(0, mostLogged).map(({ text }) => ` · ${text}`) ?? [];
  return {
    key: `call ${record}`,
    isEvent: false,
    timeUs: null,
    step: item?.call.step ?? 0,
    name: item?.modName ?? "",
    what: (item?.summary ?? "") + logged.join(""),
    token: tokenOf(trace, event),
    mod: item?.call.mod ?? null,
    line: item?.call.fault?.line ?? item?.call.line ?? null,
    isFault: (item?.call.fault ?? null) !== null,
  };
}

/** How many console lines stand in a row, which has room for few. The inspector has them all. */
const mostLogged = 10;

/** The token that an event is about, or the first one that was added at or after it; null where there is none near. */
export function tokenOf({ events }: Pick<TraceModel, "events">, event: EventItem): number | null {
  if (event.firstToken !== null) return event.firstToken;
  for (let number = event.number; number < event.number + 12; number += 1) {
    const near = events[number];
    if (near?.type === "added" && near.firstToken !== null) return near.firstToken;
  }
  return null;
}

/** The numbers of the rows that hold every word of the filter, in any order and case; null for all rows. */
export function filterRows(trace: TraceModel, index: RowIndex, filter: string): Uint32Array | null {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const found: number[] = [];
  for (let row = 0; row < index.count; row += 1) {
    const text = searched(trace, index, row);
    if (words.every((word) => text.includes(word))) found.push(row);
  }
  return Uint32Array.from(found);
}

/** The text in which a filter looks for words, in lower case. */
function searched(trace: TraceModel, index: RowIndex, row: number): string {
  const { name, what } = rowAt(trace, index, row);
  const event = trace.events[eventOf(index.starts, row)];
  const call = event && trace.records[event.calls[row - (index.starts[event.number] ?? 0) - 1] ?? -1];
  const action = call?.type === "modCall" ? `${event?.type} ${call.action.type}` : "";
  return `${action} ${name} ${what}`.toLowerCase();
}
