/** Every event of the run and the mods' replies, as a table or as a tree. Only the rows in view are drawn. */
import { type KeyboardEvent, memo, type RefObject, useDeferredValue, useId, useMemo, useRef } from "react";
import { rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { OpenSource } from "../step/call-entry.ts";
import { EventLine, eventRowWithIdentity } from "./event-line.tsx";
import { type EventRow, eventRows, noCallRecord } from "./event-rows.ts";
import { noPart, treeRows } from "./event-tree.ts";
import { EventsToolbar } from "./events-toolbar.tsx";
import { type EventsView, initialEventsView } from "./events-view.ts";
import { parseFilter } from "./filter-language.ts";
import { RecordView } from "./record-view.tsx";
import type { SavedFilters } from "./saved-filters.tsx";
import {
  type RowIdentity,
  rowIdentityAt,
  type ShownRows,
  shownTableRows,
  shownTreeRows,
} from "./shown-rows.ts";
import { type EventList, useEventList } from "./use-event-list.ts";
import { useFoundRows } from "./use-found-rows.ts";
import "./events-table.css";

interface EventsTableProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  /** The filter, open rows and position of the list; null at its first use. */
  readonly view: EventsView | null;
  readonly savedFilters: SavedFilters | null;
  readonly onView: (view: EventsView) => void;
  readonly onSelect: (selection: Selection) => void;
  readonly onOpenSource: OpenSource | null;
}

export const EventsTable = memo(function EventsTable(props: EventsTableProps) {
  const { trace, version, savedFilters, onView } = props;
  const view = props.view ?? initialEventsView;
  const filterText = useDeferredValue(view.filter);
  const filter = useMemo(() => parseFilter(filterText), [filterText]);
  const field = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const { shape, withSilent, withRecord, open } = view;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const rows = useMemo(() => eventRows(trace, withSilent), [trace, version, withSilent]);
  const { found, share, problem } = useFoundRows(trace, rows, filter, `${withSilent} ${filterText}`);
  const shown = useMemo(
    () =>
      shape === "table" ? shownTableRows(rows, found) : shownTreeRows(treeRows(trace, rows, found, open)),
    [trace, rows, found, shape, open],
  );
  const list = useEventList(props, view, rows, shown);
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
        <div ref={list.box} className="events-scroll" onScroll={list.measure}>
          <EventGrid props={props} grid={grid} shape={shape} shown={shown} list={list} />
          {shown.count === 0 && (
            <p className="events-none">{describeEmptyTable(trace, problem !== null, share)}</p>
          )}
        </div>
        {withRecord && (
          <RecordView
            trace={trace}
            version={version}
            event={list.active ? (trace.events[list.active.event] ?? null) : null}
            call={list.active?.call ?? noCallRecord}
          />
        )}
      </div>
    </div>
  );
});

interface EventGridProps {
  readonly props: EventsTableProps;
  readonly grid: RefObject<HTMLTableElement | null>;
  readonly shape: EventsView["shape"];
  readonly shown: ShownRows;
  readonly list: EventList;
}

function EventGrid({ props, grid, shape, shown, list }: EventGridProps) {
  const { trace, selection, onOpenSource } = props;
  const { first, last, before, after, activePlace } = list;
  const id = useId();
  const range = selection && rangeOf(selection);
  const choiceOf = ({ token }: EventRow) => {
    if (!selection || !range || token === null || token < range.first || token >= range.end) return "none";
    return token === selection.cursor ? "cursor" : "range";
  };
  const lines = Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
    const place = first + offset;
    const name = rowIdentityAt(list.rows, shown, place);
    const row = eventRowWithIdentity(trace, name);
    return (
      row && (
        <EventLine
          key={row.key}
          id={`${id}-${place}`}
          row={row}
          rowIndex={place + 2}
          choice={choiceOf(row)}
          isActive={place === activePlace}
          level={shape === "table" ? null : levelOf(name)}
          isOpen={list.openState(place)}
          onToggle={() => list.toggle(place)}
          onChoose={(extend) => list.chooseRow(place, extend)}
          onOpenSource={onOpenSource}
        />
      )
    );
  });
  const isDrawn = activePlace >= first && activePlace < last;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a grid and a tree of rows have an active row
    <table
      ref={grid}
      className="event-table"
      role={shape === "table" ? "grid" : "treegrid"}
      aria-rowcount={shown.count + 1}
      aria-activedescendant={isDrawn ? `${id}-${activePlace}` : undefined}
      tabIndex={0}
      onKeyDown={list.onKeyDown}
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
  );
}

/** The depth of a row in the tree: event, call of a mod, part of a call. */
function levelOf({ part, call }: RowIdentity): number {
  if (part !== noPart) return 3;
  return call === noCallRecord ? 1 : 2;
}

function describeEmptyTable(trace: TraceModel, isWrong: boolean, share: number | null): string {
  if (trace.events.length === 0) return "Events and the replies of mods appear here.";
  if (share !== null) return "Searching…";
  return isWrong ? "The filter has an error: correct it to search." : "No event matches the filter.";
}

/** Takes the room of the rows that are out of view. */
function Spacer({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />;
}
