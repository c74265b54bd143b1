/** Every event of the run and what the mods answered, one row each; only the rows in view are in the page. */
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { type EventEntry, eventList } from "../../trace/event-list.ts";
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
  const rows = useMemo(
    () => eventList(trace).flatMap((entry: EventEntry) => rowsOf(trace, entry)),
    [trace, version],
  );
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move through all rows of the table in it */}
      <div
        ref={box}
        className="events-scroll"
        onScroll={measure}
        onKeyDown={onKeyDown}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
        tabIndex={0}
      >
        <table className="event-table" aria-rowcount={shown.length + 1}>
          <caption className="visually-hidden">Events, and what the mods answered</caption>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">time</th>
              <th scope="col">step</th>
              <th scope="col">event</th>
              <th scope="col">what happened</th>
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} />
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
            <Spacer rows={shown.length - last} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Stands for the rows that are out of view. */
function Spacer({ rows }: { rows: number }) {
  return rows > 0 && <tr style={{ height: rows * rowHeight }} />;
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
    <tr aria-rowindex={rowIndex} className={classes.join(" ")} onClick={choose}>
      <td>{row.timeUs === null ? "" : formatDuration(row.timeUs)}</td>
      <td>{row.isEvent ? row.step : ""}</td>
      <td className="event-name">{row.name}</td>
      <td className="event-what">
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
      </td>
    </tr>
  );
}
