/** The list of events on the page: which rows are in view, which row is active, and how keys and clicks move, open and select it. */
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { type Selection, selectionAfterClick } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { scrollTopShowingRow, useRowWindow } from "../../ui/use-row-window.ts";
import { eventRowWithIdentity } from "./event-line.tsx";
import { callKey, type EventRows, eventKey, noCallRecord } from "./event-rows.ts";
import { hasChildRows, isNodeOpen, noPart, withNodeOpen } from "./event-tree.ts";
import type { EventsView } from "./events-view.ts";
import {
  firstPlaceAboutToken,
  placeOfRow,
  type RowIdentity,
  rowIdentityAt,
  type ShownRows,
} from "./shown-rows.ts";

const rowHeight = 28;

interface EventListProps {
  readonly trace: TraceModel;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
  readonly onView: (view: EventsView) => void;
}

export type EventList = ReturnType<typeof useEventList>;

export function useEventList(props: EventListProps, view: EventsView, rows: EventRows, shown: ShownRows) {
  const { shape, open } = view;
  const { count } = shown;
  const { activePlace, moveTo, ...activeRow } = useActiveRow(props, rows, shown);
  const toggle = (place: number, wanted?: boolean) => {
    const key = keyAt(rows, shown, place);
    const next = withNodeOpen(open, key, wanted ?? !isNodeOpen(open, key));
    if (next !== open) props.onView({ ...view, open: next });
  };
  /** Whether the rows below a row are shown; null in a table, and if nothing is below. */
  const openState = (place: number): boolean | null => {
    const { part } = rowIdentityAt(rows, shown, place);
    if (shape === "table" || part !== noPart || !hasChildRows(rows, shown.rowOf(place))) return null;
    return isNodeOpen(open, keyAt(rows, shown, place));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = stepOfKey(event.key, count, activeRow.box.current);
    const opened = activePlace < 0 ? null : openState(activePlace);
    if (by !== undefined) moveTo(activePlace + by, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ")
      props.onView({ ...view, withRecord: !view.withRecord });
    else if (shape === "tree" && event.key === "ArrowRight" && activePlace >= 0) {
      if (opened) moveTo(activePlace + 1, false);
      else if (opened === false) toggle(activePlace, true);
    } else if (shape === "tree" && event.key === "ArrowLeft" && activePlace >= 0) {
      if (opened) toggle(activePlace, false);
      else moveTo(parentOf(rows, shown, activePlace), false);
    } else return;
    event.preventDefault();
  };
  return { ...activeRow, rows, activePlace, toggle, openState, onKeyDown };
}

/** The active row follows the selected token, and the selection follows a chosen row. */
function useActiveRow({ trace, selection, onSelect }: EventListProps, rows: EventRows, shown: ShownRows) {
  const { count } = shown;
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<RowIdentity | null>(null);
  const rowWindow = useRowWindow(box, count, rowHeight);
  const activePlace = active ? placeOfRow(rows, shown, active) : -1;
  const reveal = (place: number) => {
    const element = box.current;
    if (!element || place < 0) return;
    const { scrollTop: top, clientHeight: height } = element;
    element.scrollTop = scrollTopShowingRow({ top, height }, place, count, rowHeight);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection moves the active row
  useLayoutEffect(() => {
    if (!selection || (active && eventRowWithIdentity(trace, active)?.token === selection.cursor)) return;
    const place = firstPlaceAboutToken(trace, rows, shown, selection.cursor);
    setActive(place < 0 ? null : rowIdentityAt(rows, shown, place));
    reveal(place);
  }, [selection?.cursor, trace]);
  const chooseRow = (place: number, extend: boolean) => {
    const name = rowIdentityAt(rows, shown, place);
    setActive(name);
    const token = eventRowWithIdentity(trace, name)?.token ?? null;
    if (token !== null && token !== selection?.cursor)
      onSelect(selectionAfterClick(selection, token, extend));
  };
  const moveTo = (place: number, extend: boolean) => {
    const to = Math.max(0, Math.min(count - 1, place));
    chooseRow(to, extend);
    reveal(to);
  };
  return { ...rowWindow, box, active, activePlace, chooseRow, moveTo };
}

function keyAt(rows: EventRows, shown: ShownRows, place: number) {
  const { event, call } = rowIdentityAt(rows, shown, place);
  return call === noCallRecord ? eventKey(event) : callKey(call);
}

function parentOf(rows: EventRows, shown: ShownRows, place: number): number {
  const { event, call, part } = rowIdentityAt(rows, shown, place);
  if (part !== noPart) return placeOfRow(rows, shown, { event, call, part: noPart });
  return call === noCallRecord ? place : placeOfRow(rows, shown, { event, call: noCallRecord, part: noPart });
}

/** The number of rows by which a key moves the active row; undefined for other keys. */
function stepOfKey(key: string, count: number, box: HTMLElement | null): number | undefined {
  const page = Math.max(1, Math.floor((box?.clientHeight ?? 0) / rowHeight) - 2);
  return { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[key];
}
