/**
 * The event list as a tree: event → call of a mod → its action, its console lines, its fault. Closed nodes have no rows below
 * them. Pure.
 */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { recordOf } from "../../../core/trace/model/trace-view.ts";
import { callKey, type EventRows, eventKey, noCallRecord } from "./event-rows.ts";

/** The open nodes: the nodes in `named`, or, if `isAll`, all nodes except those in `named`. */
export interface OpenNodes {
  readonly isAll: boolean;
  readonly named: ReadonlySet<string>;
}

export const allClosed: OpenNodes = { isAll: false, named: new Set() };
export const allOpen: OpenNodes = { isAll: true, named: new Set() };

export const isNodeOpen = ({ isAll, named }: OpenNodes, key: string): boolean => named.has(key) !== isAll;

export function withNodeOpen(nodes: OpenNodes, key: string, open: boolean): OpenNodes {
  if (isNodeOpen(nodes, key) === open) return nodes;
  const named = new Set(nodes.named);
  if (!named.delete(key)) named.add(key);
  return { ...nodes, named };
}

/** Numbers of the parts of a call, which stand below it in the tree: 0 its action, 1 its fault, from 2 on its console lines. */
export const actionPart = 0;
export const faultPart = 1;
export const firstConsoleLinePart = 2;
/** In place of the number of a part: the row shows the whole event or call. */
export const noPart = -1;

/** The rows of the tree, in order. */
export interface TreeRows {
  readonly count: number;
  /** For each tree row, number of its row in the flat list (`EventRows`). */
  readonly rows: Int32Array;
  /** For each tree row, the part of the call, or `noPart`. */
  readonly parts: Int32Array;
}

/**
 * @param found rows that match the filter, ascending; null if there is no filter. An event is listed if it or one of its calls
 * matches. Below it are its matching calls, or all of its calls if only the event matches.
 */
export function treeRows(
  trace: TraceModel,
  rows: EventRows,
  found: Uint32Array | null,
  open: OpenNodes,
): TreeRows {
  const list: number[] = [];
  const parts: number[] = [];
  const push = (row: number, part: number) => {
    list.push(row);
    parts.push(part);
  };
  const pushCall = (row: number) => {
    push(row, noPart);
    const record = rows.calls[row] ?? noCallRecord;
    if (isNodeOpen(open, callKey(record))) for (const part of partsOf(trace, record)) push(row, part);
  };
  const callsFrom = (start: number, event: number) => {
    for (let row = start + 1; row < rows.count && rows.events[row] === event; row += 1) pushCall(row);
  };
  const count = found?.length ?? rows.count;
  for (let place = 0; place < count; ) {
    const event = rows.events[found?.[place] ?? place] ?? 0;
    const start = rows.starts[event] ?? 0;
    push(start, noPart);
    let end = place + 1;
    while (end < count && rows.events[found?.[end] ?? end] === event) end += 1;
    if (isNodeOpen(open, eventKey(event))) {
      const first = (found?.[place] ?? place) === start ? place + 1 : place;
      if (first === end) callsFrom(start, event);
      for (let ownCall = first; ownCall < end; ownCall += 1) pushCall(found?.[ownCall] ?? ownCall);
    }
    place = end;
  }
  return { count: list.length, rows: Int32Array.from(list), parts: Int32Array.from(parts) };
}

function partsOf(trace: TraceModel, record: number): readonly number[] {
  const call = recordOf(trace, record, "modCall");
  if (!call) return [];
  const lines = call.console.map((_line, place) => firstConsoleLinePart + place);
  return [actionPart, ...(call.fault ? [faultPart] : []), ...lines];
}

/** Whether there is anything below a row. */
export function hasChildRows(rows: EventRows, row: number): boolean {
  return rows.calls[row] !== noCallRecord || rows.events[row + 1] === rows.events[row];
}
