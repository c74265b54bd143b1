/** Every event of the run and what the mods answered, one row each; only the rows in view are in the page. */
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { type EventEntry, eventList } from "../../trace/trace-view.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { type EventRow, filterRows, rowsOf } from "./event-rows.ts";
import type { OpenSource } from "./step-inspector.tsx";
import "./events-table.css";

interface EventsTableProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
  readonly onOpenSource: OpenSource | null;
}

const rowHeight = 28;
const overscan = 8;

export function EventsTable({ trace, version, selected, onSelect, onOpenSource }: EventsTableProps) {
  const [filter, setFilter] = useState("");
  const [view, setView] = useState({ top: 0, height: 400 });
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const rows = useMemo(() => eventList(trace).flatMap((entry: EventEntry) => rowsOf(trace, entry)), [trace, version]);
  const shown = useMemo(() => filterRows(rows, filter), [rows, filter]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const last = Math.min(shown.length, Math.ceil((view.top + view.height) / rowHeight) + overscan);
  const measure = () => {
    const element = box.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = shown.findIndex((row) => row.token === selected && row.isEvent);
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
    if (next?.token !== null && next?.token !== undefined) onSelect(next.token);
  };
  return (
    <div className="events">
      <div className="events-filter">
        <input
          type="search"
          className="field"
          aria-label="Filter events"
          placeholder="Filter: a kind, a mod, a word"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span aria-live="polite">
          {filter === "" ? "" : `${formatCount(shown.length)} of `}
          {formatCount(rows.length)} rows
        </span>
      </div>
      <div
        ref={box}
        className="events-scroll"
        onScroll={measure}
        onKeyDown={onKeyDown}
        role="table"
        aria-label="Events"
        aria-rowcount={shown.length + 1}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
        tabIndex={0}
      >
        <div role="row" className="event event-head" aria-rowindex={1}>
          <span role="columnheader">time</span>
          <span role="columnheader">step</span>
          <span role="columnheader">event</span>
          <span role="columnheader">what happened</span>
        </div>
        <div role="presentation" style={{ height: first * rowHeight }} />
        {shown.slice(first, last).map((row, place) => (
          <EventLine
            key={row.key}
            row={row}
            rowIndex={first + place + 2}
            selected={row.token !== null && row.token === selected}
            onSelect={onSelect}
            onOpenSource={onOpenSource}
          />
        ))}
        <div role="presentation" style={{ height: (shown.length - last) * rowHeight }} />
      </div>
    </div>
  );
}

interface EventLineProps {
  readonly row: EventRow;
  readonly rowIndex: number;
  readonly selected: boolean;
  readonly onSelect: (index: number) => void;
  readonly onOpenSource: OpenSource | null;
}

function EventLine({ row, rowIndex, selected, onSelect, onOpenSource }: EventLineProps) {
  const classes = ["event", row.isEvent ? "event-own" : "event-call"];
  if (selected) classes.push("event-selected");
  if (row.isFault) classes.push("event-fault");
  const choose = () => row.token !== null && onSelect(row.token);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table takes the arrow keys for all its rows
    <div role="row" aria-rowindex={rowIndex} className={classes.join(" ")} onClick={choose}>
      <span role="cell">{row.timeUs === null ? "" : formatDuration(row.timeUs)}</span>
      <span role="cell">{row.isEvent ? row.step : ""}</span>
      <span role="cell" className="event-name">
        {row.name}
      </span>
      <span role="cell" className="event-what">
        {visibleText(row.what)}
        {row.line !== null && onOpenSource && (
          <button
            type="button"
            className="link event-line"
            onClick={(event) => {
              event.stopPropagation();
              onOpenSource(row.mod ?? 0, row.line);
            }}
          >
            line {row.line}
          </button>
        )}
      </span>
    </div>
  );
}
