/** The runs as rows of one height. Only rows in view are drawn. The Tab key stops once at the list; arrow keys move within the list. */
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from "react";
import { useRowWindow } from "../../../view/ui/use-row-window.ts";
import type { FoundRuns } from "../../runs/repository.ts";
import type { HistoryRun } from "./history-store.ts";
import { RunRow, runRowElementId } from "./run-row.tsx";

interface RunListProps {
  readonly runs: readonly HistoryRun[];
  readonly found: FoundRuns | null;
  readonly active: string | null;
  /** The run of the page. */
  readonly shown: string | null;
  readonly onChoose: (id: string) => void;
  readonly onOpen: (id: string) => void;
  readonly onStar: (run: HistoryRun) => void;
  readonly onRemove: (run: HistoryRun) => void;
}

/** As `.run-row` has it. */
const rowHeight = 76;

export function RunList({ runs, found, active, shown, onChoose, onOpen, onStar, onRemove }: RunListProps) {
  const box = useRef<HTMLDivElement>(null);
  const { first, last, before, after, measure } = useRowWindow(box, runs.length, rowHeight);
  const place = runs.findIndex(({ id }) => id === active);
  const now = Date.now();
  // Scrolls to a row when the user chooses its run elsewhere, but not when a new run moves the row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a choice scrolls
  useEffect(() => {
    const element = box.current;
    if (!element || place < 0) return;
    const top = place * rowHeight;
    const lowest = top + rowHeight - element.clientHeight;
    if (element.scrollTop > top) element.scrollTop = top;
    else if (element.scrollTop < lowest) element.scrollTop = lowest;
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.altKey || event.ctrlKey || event.metaKey) return;
    const run = runs[place];
    if (event.key === "Enter" && run) onOpen(run.id);
    else if (event.key === "Delete" && run) onRemove(run);
    else {
      const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight));
      const to = placeAfter(event.key, place, page, runs.length);
      const next = to === null ? undefined : runs[to];
      if (!next) return;
      onChoose(next.id);
    }
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const run = runs[Number(target.closest<HTMLElement>("[data-place]")?.dataset.place ?? -1)];
    if (!run) return;
    if (target.closest("[data-star]")) onStar(run);
    else onOpen(run.id);
  };
  const isDrawn = place >= first && place < last;
  return (
    <div
      ref={box}
      className="run-list"
      role="listbox"
      aria-label="Runs, newest first"
      tabIndex={0}
      aria-activedescendant={isDrawn && active !== null ? runRowElementId(active) : undefined}
      onScroll={measure}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div role="presentation" style={{ height: before }} />
      {runs.slice(first, last).map((run, at) => (
        <RunRow
          key={run.id}
          run={run}
          found={found?.get(run.id) ?? null}
          place={first + at}
          count={runs.length}
          isActive={run.id === active}
          isShown={run.id === shown}
          now={now}
        />
      ))}
      <div role="presentation" style={{ height: after }} />
    </div>
  );
}

function placeAfter(key: string, place: number, page: number, count: number): number | null {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[key];
  return by === undefined ? null : Math.max(0, Math.min(count - 1, place + by));
}
