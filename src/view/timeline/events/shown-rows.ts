/** The rows that the event list shows, as a table or as a tree, by their places from the top. Pure. */

import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { EventItem } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { type EventRows, noCallRecord, tokenOfEvent } from "./event-rows.ts";
import { noPart, type TreeRows } from "./event-tree.ts";

/** The identity of a row, independent of its place: an event, a call of the event, a part of the call. */
export interface RowIdentity {
  readonly event: number;
  /** Number of the call's record, or `noCallRecord`. */
  readonly call: number;
  /** Part of the call in the tree, or `noPart`. */
  readonly part: number;
}

export interface ShownRows {
  readonly count: number;
  rowOf(place: number): number;
  partOf(place: number): number;
}

export function shownTableRows(rows: EventRows, found: Uint32Array | null): ShownRows {
  return {
    count: found?.length ?? rows.count,
    rowOf: (place) => found?.[place] ?? place,
    partOf: () => noPart,
  };
}

export function shownTreeRows({ count, rows, parts }: TreeRows): ShownRows {
  return { count, rowOf: (place) => rows[place] ?? 0, partOf: (place) => parts[place] ?? noPart };
}

export function rowIdentityAt(rows: EventRows, shown: ShownRows, place: number): RowIdentity {
  const row = shown.rowOf(place);
  return { event: rows.events[row] ?? 0, call: rows.calls[row] ?? noCallRecord, part: shown.partOf(place) };
}

/** The first place whose row number is at least `row`. Row numbers ascend. */
function firstPlace(shown: ShownRows, row: number): number {
  let low = 0;
  let high = shown.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown.rowOf(middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place of a row; -1 if the row is not shown. */
export function placeOfRow(rows: EventRows, shown: ShownRows, { event, call, part }: RowIdentity): number {
  for (let place = firstPlace(shown, rows.starts[event] ?? 0); place < shown.count; place += 1) {
    const name = rowIdentityAt(rows, shown, place);
    if (name.event !== event) return -1;
    if (name.call === call && name.part === part) return place;
  }
  return -1;
}

function added({ type, firstToken, tokenCount }: EventItem, token: number): boolean {
  return type === "added" && firstToken !== null && firstToken <= token && token < firstToken + tokenCount;
}

/** The most rows that are searched for a row about a token. */
const nearby = 400;

/** The place of the first row about a token; -1 if none is shown. */
export function firstPlaceAboutToken(
  trace: TraceModel,
  rows: EventRows,
  shown: ShownRows,
  token: number,
): number {
  const cause = trace.tokens.event[token] ?? noIndex;
  const first = firstPlace(shown, rows.starts[Math.max(0, cause)] ?? 0);
  for (let place = first; place < Math.min(shown.count, first + nearby); place += 1) {
    const event = trace.events[rowIdentityAt(rows, shown, place).event];
    if (event && (tokenOfEvent(trace, event) === token || added(event, token))) return place;
  }
  return -1;
}
