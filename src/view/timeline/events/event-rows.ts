/** Rows of the event list: the event or call of each row and its cells, made one by one as rows come into view. Pure. */
import { isSilent, modCallItem } from "../../../core/trace/model/call-summary.ts";
import { eventSummary } from "../../../core/trace/model/event-list.ts";
import type { EventItem } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { recordOf } from "../../../core/trace/model/trace-view.ts";

export interface EventRow {
  readonly key: string;
  /** False for a mod's reply, whose row stands below the row of its event. */
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

/** In place of a call's record: the row is that of the event itself. */
export const noCallRecord = -1;

/** The rows of the event list: an event's row, then a row for each of its calls. */
export interface EventRows {
  readonly count: number;
  /** For each row the number of its event. */
  readonly events: Int32Array;
  /** For each row the number of the call's record, or `noCallRecord`. */
  readonly calls: Int32Array;
  /** For each event the number of its row. */
  readonly starts: Int32Array;
  /** Number of calls that did nothing and have no row. */
  readonly hidden: number;
}

/** @param withSilent whether calls that did nothing (`isSilent`) get rows too */
export function eventRows(
  { events, records }: Pick<TraceModel, "events" | "records">,
  withSilent: boolean,
): EventRows {
  let most = events.length;
  for (const { calls } of events) most += calls.length;
  const rows = { events: new Int32Array(most), calls: new Int32Array(most) };
  const starts = new Int32Array(events.length);
  let count = 0;
  const push = (event: number, call: number) => {
    rows.events[count] = event;
    rows.calls[count] = call;
    count += 1;
  };
  for (const { number, calls } of events) {
    starts[number] = count;
    push(number, noCallRecord);
    for (const call of calls) {
      const record = records[call];
      if (withSilent || record?.type !== "modCall" || !isSilent(record)) push(number, call);
    }
  }
  return {
    count,
    events: rows.events.subarray(0, count),
    calls: rows.calls.subarray(0, count),
    starts,
    hidden: most - count,
  };
}

/** @throws RangeError when there is no such row. */
export function rowAt(trace: TraceModel, { events, calls, count }: EventRows, row: number): EventRow {
  const event = trace.events[events[row] ?? -1];
  const call = calls[row];
  if (!event || call === undefined)
    throw new RangeError(`There is no row ${row}: the list has ${count} rows.`);
  return call === noCallRecord ? eventRow(trace, event) : callRow(trace, event, call);
}

export function eventRow(trace: TraceModel, event: EventItem): EventRow {
  return {
    key: eventKey(event.number),
    isEvent: true,
    timeUs: trace.leftOut.has("timings") ? null : event.timeUs,
    step: event.step,
    name: event.type,
    what: eventSummary(trace, event),
    token: tokenOfEvent(trace, event),
    mod: null,
    line: null,
    isFault: false,
  };
}

export function callRow(trace: TraceModel, event: EventItem, record: number): EventRow {
  const item = modCallItem(trace, record);
  const logged = item?.call.console.slice(0, mostLogged).map(({ text }) => ` · ${text}`) ?? [];
  return {
    key: callKey(record),
    isEvent: false,
    timeUs: null,
    step: item?.call.step ?? 0,
    name: item?.modName ?? "",
    what: (item?.summary ?? "") + logged.join(""),
    token: tokenOfEvent(trace, event),
    mod: item?.call.mod ?? null,
    line: item?.call.fault?.line ?? item?.call.line ?? null,
    isFault: (item?.call.fault ?? null) !== null,
  };
}

export const eventKey = (number: number): string => `event ${number}`;
export const callKey = (record: number): string => `call ${record}`;

/** The most console lines in a row, which has little room. The tree and the inspector show all lines. */
const mostLogged = 10;

/** The most events that are searched for the first token after an event. */
const nearby = 12;

/** The token that an event is about, or the first token that was added at or after the event; null if there is none nearby. */
export function tokenOfEvent({ events }: Pick<TraceModel, "events">, event: EventItem): number | null {
  if (event.firstToken !== null) return event.firstToken;
  for (let number = event.number; number < event.number + nearby; number += 1) {
    const near = events[number];
    if (near?.type === "added" && near.firstToken !== null) return near.firstToken;
  }
  return null;
}

/** The tokens that a row is about, for filters: index of the first token, and number of tokens. */
export interface RowTokens {
  readonly first: number;
  readonly count: number;
}

/**
 * The tokens that a row is about: tokens that were added or removed, the sampled token, tokens that the call forced or removed,
 * or the token drawn from probabilities that the call changed. Null if there are none.
 */
export function tokensOfRow(trace: TraceModel, { events, calls }: EventRows, row: number): RowTokens | null {
  const event = trace.events[events[row] ?? -1];
  if (!event) return null;
  const call = calls[row] === noCallRecord ? null : recordOf(trace, calls[row], "modCall");
  if (calls[row] !== noCallRecord)
    return call && isSilent(call) ? null : broughtBy(trace, event, calls[row] ?? noCallRecord);
  if (event.firstToken !== null) return { first: event.firstToken, count: event.tokenCount };
  if (event.type !== "sampled") return null;
  const next = trace.events[event.number + 1];
  return next?.type === "added" && next.firstToken !== null ? { first: next.firstToken, count: 1 } : null;
}

function broughtBy(trace: TraceModel, event: EventItem, call: number): RowTokens | null {
  const { events, tokens, spans } = trace;
  const edits = recordOf(trace, call, "modCall")?.action.type === "adjustLogits";
  for (let number = event.number + 1; number <= event.number + nearby; number += 1) {
    const near = events[number];
    if (near?.firstToken == null) continue;
    const own = { first: near.firstToken, count: near.tokenCount };
    if (near.type === "backtracked" && spans[near.span ?? -1]?.callRecord === call) return own;
    if (near.type !== "added") continue;
    const isIts = edits
      ? tokens.adjustedRecord[own.first] === event.adjusted
      : tokens.callRecord[own.first] === call;
    return isIts ? own : null;
  }
  return null;
}
