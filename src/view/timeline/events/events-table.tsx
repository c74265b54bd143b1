/** Every event of the run and what the mods answered, as a table or as a tree; only the rows in view are made. */
import {
  type KeyboardEvent,
  memo,
  useDeferredValue,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { choose, rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { topWithRow, useRowWindow } from "../../ui/use-row-window.ts";
import type { OpenSource } from "../step/step-inspector.tsx";
import { EventLine, rowNamed } from "./event-line.tsx";
import { callKey, type EventRow, eventKey, eventRows, ownRow } from "./event-rows.ts";
import { hasBelow, isOpen, treeRows, wholePart, withOpen } from "./event-tree.ts";
import { EventsToolbar } from "./events-toolbar.tsx";
import { type EventsView, firstEventsView } from "./events-view.ts";
import { parseFilter } from "./filter-language.ts";
import { RecordView } from "./record-view.tsx";
import type { SavedFilters } from "./saved-filters.tsx";
import { nameAt, placeAbout, placeOf, type RowName, tableOf, treeOf } from "./shown-rows.ts";
import { useFoundRows } from "./use-found-rows.ts";
import "./events-table.css";

interface EventsTableProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  /** Null: as the list is looked at first. */
  readonly view: EventsView | null;
  readonly savedFilters: SavedFilters | null;
  readonly onView: (view: EventsView) => void;
  readonly onSelect: (selection: Selection) => void;
  readonly onOpenSource: OpenSource | null;
}

const rowHeight = 28;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: to be split into keys, rows and drawing
export const EventsTable = memo(function EventsTable(props: EventsTableProps) {
  const { trace, version, selection, savedFilters, onView, onSelect, onOpenSource } = props;
  const view = props.view ?? firstEventsView;
  const { shape, withSilent, withRecord, open } = view;
  const id = useId();
  const filterText = useDeferredValue(view.filter);
  const filter = useMemo(() => parseFilter(filterText), [filterText]);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState<RowName | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const rows = useMemo(() => eventRows(trace, withSilent), [trace, version, withSilent]);
  const { found, share, problem } = useFoundRows(trace, rows, filter, `${withSilent} ${filterText}`);
  const shown = useMemo(
    () => (shape === "table" ? tableOf(rows, found) : treeOf(treeRows(trace, rows, found, open))),
    [trace, rows, found, shape, open],
  );
  const { count } = shown;
  const { first, last, before, after, measure } = useRowWindow(box, count, rowHeight);
  const activePlace = active ? placeOf(rows, shown, active) : -1;
  const reveal = (place: number) => {
    const element = box.current;
    if (!element || place < 0) return;
    const { scrollTop: top, clientHeight: height } = element;
    element.scrollTop = topWithRow({ top, height }, place, count, rowHeight);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice is followed
  useLayoutEffect(() => {
    if (!selection || (active && rowNamed(trace, active)?.token === selection.cursor)) return;
    const place = placeAbout(trace, rows, shown, selection.cursor);
    setActive(place < 0 ? null : nameAt(rows, shown, place));
    reveal(place);
  }, [selection?.cursor, trace]);

  const chooseRow = (place: number, extend: boolean) => {
    const name = nameAt(rows, shown, place);
    setActive(name);
    const token = rowNamed(trace, name)?.token ?? null;
    if (token !== null && token !== selection?.cursor) onSelect(choose(selection, token, extend));
  };
  const toggle = (place: number, wanted?: boolean) => {
    const { event, call } = nameAt(rows, shown, place);
    const key = call === ownRow ? eventKey(event) : callKey(call);
    const next = withOpen(open, key, wanted ?? !isOpen(open, key));
    if (next !== open) onView({ ...view, open: next });
  };
  /** Whether what is below a row is shown; null in a table, and where there is nothing below. */
  const openState = (place: number): boolean | null => {
    const { event, call, part } = nameAt(rows, shown, place);
    if (shape === "table" || part !== wholePart || !hasBelow(rows, shown.rowOf(place))) return null;
    return isOpen(open, call === ownRow ? eventKey(event) : callKey(call));
  };
  const moveTo = (place: number, extend: boolean) => {
    const to = Math.max(0, Math.min(count - 1, place));
    chooseRow(to, extend);
    reveal(to);
  };
  const parentOf = (place: number): number => {
    const { event, call, part } = nameAt(rows, shown, place);
    if (part !== wholePart) return placeOf(rows, shown, { event, call, part: wholePart });
    return call === ownRow ? place : placeOf(rows, shown, { event, call: ownRow, part: wholePart });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 2);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[
      event.key
    ];
    const opened = activePlace < 0 ? null : openState(activePlace);
    if (by !== undefined) moveTo(activePlace + by, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") onView({ ...view, withRecord: !withRecord });
    else if (shape === "tree" && event.key === "ArrowRight" && activePlace >= 0) {
      if (opened) moveTo(activePlace + 1, false);
      else if (opened === false) toggle(activePlace, true);
    } else if (shape === "tree" && event.key === "ArrowLeft" && activePlace >= 0) {
      if (opened) toggle(activePlace, false);
      else moveTo(parentOf(activePlace), false);
    } else return;
    event.preventDefault();
  };
  const range = selection && rangeOf(selection);
  const choiceOf = ({ token }: EventRow) => {
    if (!selection || !range || token === null || token < range.first || token >= range.end) return "none";
    return token === selection.cursor ? "cursor" : "range";
  };
  const lines = Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
    const place = first + offset;
    const name = nameAt(rows, shown, place);
    const row = rowNamed(trace, name);
    const level = name.part !== wholePart ? 3 : name.call === ownRow ? 1 : 2;
    return (
      row && (
        <EventLine
          key={row.key}
          id={`${id}-${place}`}
          row={row}
          rowIndex={place + 2}
          choice={choiceOf(row)}
          isActive={place === activePlace}
          level={shape === "table" ? null : level}
          isOpen={openState(place)}
          onToggle={() => toggle(place)}
          onChoose={(extend) => chooseRow(place, extend)}
          onOpenSource={onOpenSource}
        />
      )
    );
  });
  const isDrawn = activePlace >= first && activePlace < last;
  const onSlash = (event: KeyboardEvent) => {
    if (event.key !== "/" || event.target === field.current || event.target instanceof HTMLInputElement)
      return;
    event.preventDefault();
    field.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key that leads to the field from everywhere in the panel
    <div className={withRecord ? "events events-with-record" : "events"} onKeyDown={onSlash}>
      <EventsToolbar
        trace={trace}
        view={view}
        rows={rows}
        found={found}
        share={share}
        savedFilters={savedFilters}
        onView={onView}
        field={field}
        parts={filter.parts}
        problem={filter.problems[0] ?? problem}
        onLeave={() => grid.current?.focus()}
      />
      <div className="events-split">
        <div ref={box} className="events-scroll" onScroll={measure}>
          {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: a grid and a tree of rows have an active row */}
          <table
            ref={grid}
            className="event-table"
            role={shape === "table" ? "grid" : "treegrid"}
            aria-rowcount={count + 1}
            aria-activedescendant={isDrawn ? `${id}-${activePlace}` : undefined}
            tabIndex={0}
            onKeyDown={onKeyDown}
          >
            <caption className="visually-hidden">Events and replies of mods</caption>
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col">time</th>
                <th scope="col">step</th>
                <th scope="col">event</th>
                <th scope="col">what happened</th>
              </tr>
            </thead>
            <tbody>
              <Spacer height={before} />
              {lines}
              <Spacer height={after} />
            </tbody>
          </table>
          {count === 0 && <p className="events-none">{emptyWords(trace, problem !== null, share)}</p>}
        </div>
        {withRecord && (
          <RecordView
            trace={trace}
            version={version}
            event={active ? (trace.events[active.event] ?? null) : null}
            call={active?.call ?? ownRow}
          />
        )}
      </div>
    </div>
  );
});

function emptyWords(trace: TraceModel, isWrong: boolean, share: number | null): string {
  if (trace.events.length === 0) return "Events and the replies of mods appear here.";
  if (share !== null) return "Searching…";
  return isWrong ? "Correct the filter to search." : "No event matches the filter.";
}

/** Stands for the rows that are out of view. */
function Spacer({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />;
}
