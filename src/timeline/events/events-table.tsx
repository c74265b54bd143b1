/** Every event of the run and what the mods answered, one row each; only the rows in view are made. */
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { choose, rangeOf, type Selection } from "../../trace/selection.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { formatCount, formatDuration } from "../../ui/format.ts";
import { useRowWindow } from "../../ui/use-row-window.ts";
import type { OpenSource } from "../step/step-inspector.tsx";
import { type EventRow, filterRows, type RowIndex, rowAt, rowIndex, tokenOf } from "./event-rows.ts";
import "./events-table.css";

interface EventsTableProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
  readonly onOpenSource: OpenSource | null;
}

const rowHeight = 28;

export const EventsTable = memo(function EventsTable({
  trace,
  version,
  selection,
  onSelect,
  onOpenSource,
}: EventsTableProps) {
  const [typed, setFilter] = useState("");
  const filter = useDeferredValue(typed);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const index = useMemo(() => rowIndex(trace), [trace, version]);
  const found = useMemo(() => filterRows(trace, index, filter), [trace, index, filter]);
  const count = found?.length ?? index.count;
  const { first, last, before, after, measure } = useRowWindow(box, count, rowHeight);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice is scrolled to
  useLayoutEffect(() => {
    if (box.current && selection) reveal(box.current, placeOf(trace, index, found, selection.cursor));
  }, [selection?.cursor]);
  const numberOf = (place: number) => found?.[place] ?? place;
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, place) =>
    rowAt(trace, index, numberOf(first + place)),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || count === 0) return;
    event.preventDefault();
    const at = placeOf(trace, index, found, selection?.cursor ?? null);
    const next = rowAt(trace, index, numberOf(Math.max(0, Math.min(count - 1, at + by))));
    if (next.token !== null) onSelect(choose(selection, next.token, event.shiftKey));
  };
  const range = selection && rangeOf(selection);
  const choiceOf = ({ token }: EventRow) => {
    if (!selection || !range || token === null || token < range.first || token >= range.end) return "none";
    return token === selection.cursor ? "cursor" : "range";
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
                choice={choiceOf(row)}
                onChoose={(token, extend) => onSelect(choose(selection, token, extend))}
                onOpenSource={onOpenSource}
              />
            ))}
            <Spacer height={after} />
          </tbody>
        </table>
      </div>
    </div>
  );
});

/** Scrolls to a row that is out of view. */
function reveal(box: HTMLElement, place: number) {
  const top = place * rowHeight;
  const isSeen = top >= box.scrollTop && top + 2 * rowHeight <= box.scrollTop + box.clientHeight;
  if (place >= 0 && !isSeen) box.scrollTop = top - box.clientHeight / 2;
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
  /** Whether the event is about the token of the cursor, about another one of the selection, or about none of them. */
  readonly choice: "cursor" | "range" | "none";
  readonly onChoose: (token: number, extend: boolean) => void;
  readonly onOpenSource: OpenSource | null;
}

function EventLine({ row, rowIndex, choice, onChoose, onOpenSource }: EventLineProps) {
  const classes = ["event", row.isEvent ? "event-own" : "event-call"];
  if (choice !== "none") classes.push(choice === "cursor" ? "event-selected" : "event-in-range");
  if (row.isFault) classes.push("event-fault");
  const onClick = ({ shiftKey }: MouseEvent) => row.token !== null && onChoose(row.token, shiftKey);
  return (
    <tr aria-rowindex={rowIndex} className={classes.join(" ")} onClick={onClick}>
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
