/** Every event of the run and what the mods answered, one row each; only the rows in view are made. */
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from "react";
import type { TraceModel } from "../../trace/trace-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { useRowWindow } from "../ui/use-row-window.ts";
import { type EventRow, filterRows, type RowIndex, rowAt, rowIndex, tokenOf } from "./event-rows.ts";
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

export function EventsTable({ trace, version, selected, onSelect, onOpenSource }: EventsTableProps) {
  const [typed, setFilter] = useState("");
  const filter = useDeferredValue(typed);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const index = useMemo(() => rowIndex(trace), [trace, version]);
  const found = useMemo(() => filterRows(trace, index, filter), [trace, index, filter]);
  const count = found?.length ?? index.count;
  const { first, last, before, after, measure } = useRowWindow(box, count, rowHeight);
  const numberOf = (place: number) => found?.[place] ?? place;
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, place) =>
    rowAt(trace, index, numberOf(first + place)),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || count === 0) return;
    event.preventDefault();
    const at = placeOf(trace, index, found, selected);
    const next = rowAt(trace, index, numberOf(Math.max(0, Math.min(count - 1, at + by))));
    if (next.token !== null) onSelect(next.token);
  };
  return (
    <div className="events">
      <div className="events-filter">
        <input
          type="search"
          className="field"
          aria-label="Filter events"
          placeholder="Filter: a kind, a mod, a word"
          value={typed}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span aria-live="polite">
          {filter === "" ? "" : `${formatCount(count)} of `}
          {formatCount(index.count)} rows
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
        <table className="event-table" aria-rowcount={count + 1}>
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
            <Spacer height={before} />
            {shown.map((row, place) => (
              <EventLine
                key={row.key}
                row={row}
                rowIndex={first + place + 2}
                selected={row.token !== null && row.token === selected}
                onSelect={onSelect}
                onOpenSource={onOpenSource}
              />
            ))}
            <Spacer height={after} />
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Stands for the rows that are out of view. */
function Spacer({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />;
}

/** The place, among the rows that are found, of the first event about the selected token; -1 where there is none. */
function placeOf(
  trace: TraceModel,
  { starts }: RowIndex,
  found: Uint32Array | null,
  selected: number | null,
): number {
  for (const event of trace.events) {
    if (tokenOf(trace, event) !== selected) continue;
    const row = starts[event.number] ?? 0;
    const place = found ? found.indexOf(row) : row;
    if (place >= 0) return place;
  }
  return -1;
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
