/** Charts over the run. They share the selection with all other views, by pointer and by keys, and also describe it in words. */
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef } from "react";
import type { LeftOut } from "../../../core/trace/format/left-out.ts";
import { type ChartMetrics, chartColumns, chartMetrics } from "../../../core/trace/model/chart-columns.ts";
import {
  isRange,
  rangeOf,
  type Selection,
  selectionAfterClick,
} from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { countWithNoun } from "../../ui/format.ts";
import { rangeName } from "../range-name.ts";
import { findTextMove } from "../ribbon/text-moves.ts";
import { type ChartName, type ChartTexts, chartTexts } from "./chart-labels.ts";
import { plotLeftMargin, plotRightMargin, plots } from "./plots.tsx";
import "../../ui/empty-state.css";
import "./charts-panel.css";

interface ChartsPanelProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
}

/** The charts, in order. For each, the part of a link that the chart needs; if the part was left out, the chart is not shown. */
const neededParts: Readonly<Record<ChartName, LeftOut | null>> = {
  probability: "probabilities",
  entropy: "probabilities",
  time: "timings",
  rate: "timings",
  kinds: null,
};
const charts = Object.entries(neededParts) as readonly [ChartName, LeftOut | null][];
/** About as many columns as a reader can tell apart. */
const mostColumns = 160;

export const ChartsPanel = memo(function ChartsPanel(props: ChartsPanelProps) {
  const { trace, version, running, selection, onSelect } = props;
  const count = trace.tokens.text.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const columns = useMemo(() => chartColumns(trace, mostColumns), [trace, version]);
  const chosen = selection && selection.cursor < count && selection.anchor < count ? selection : null;
  const range = chosen ? rangeOf(chosen) : { first: 0, end: count };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const metrics = useMemo(() => chartMetrics(trace, range), [trace, version, range.first, range.end]);
  if (count === 0)
    return <p className="inspector-empty">Charts of probability, entropy and time appear here.</p>;
  const texts = chartTexts(trace, metrics);
  const of = chosen ? rangeName(range) : `The whole run, ${countWithNoun(count, "token")}`;
  const length = Math.max(count, running ? (trace.request?.maxTokens ?? 0) : 0);
  return (
    <div className="charts">
      <p className="charts-of">
        {of}. <span>Drag, or use the arrow keys, to select.{missingLabels(trace)}</span>
      </p>
      <div className="charts-grid">
        {charts.map(([name, needs]) =>
          needs !== null && trace.leftOut.has(needs) ? null : (
            <Chart
              key={name}
              name={name}
              texts={texts[name]}
              of={of}
              columns={columns}
              length={length}
              count={count}
              onSelect={onSelect}
              selection={chosen}
            />
          ),
        )}
      </div>
    </div>
  );
});

function missingLabels({ leftOut }: TraceModel): string {
  const missing = [leftOut.has("probabilities") && "probabilities", leftOut.has("timings") && "times"];
  const named = missing.filter(Boolean).join(" and ");
  return named === "" ? "" : ` The ${named} were not saved.`;
}

interface ChartProps extends Pick<ChartsPanelProps, "selection" | "onSelect"> {
  readonly name: ChartName;
  readonly texts: ChartTexts;
  /** The subject of the values in `texts`. */
  readonly of: string;
  readonly columns: readonly ChartMetrics[];
  /** Length of the axis in tokens, and number of tokens so far. */
  readonly length: number;
  readonly count: number;
}

function Chart({ name, texts, of, columns, length, count, selection, onSelect }: ChartProps) {
  const Plot = plots[name];
  /** The current selection of a drag, because pointer events come faster than the page draws. */
  const dragged = useRef<Selection | null>(null);
  const select = (index: number, from: Selection | null, extend: boolean) => {
    const next = selectionAfterClick(from, Math.max(0, Math.min(count - 1, index)), extend);
    if (next.cursor !== selection?.cursor || next.anchor !== selection.anchor) onSelect(next);
    return next;
  };
  const tokenUnder = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share =
      (event.clientX - box.left - plotLeftMargin) / (box.width - plotLeftMargin - plotRightMargin);
    return Math.floor(share * length);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = select(tokenUnder(event), selection, event.shiftKey);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (dragged.current) dragged.current = select(tokenUnder(event), dragged.current, true);
  };
  const onPointerUp = () => {
    dragged.current = null;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const move = findTextMove(event);
    if (move === null) return;
    event.preventDefault();
    const at = selection?.cursor ?? -1;
    // The Up and Down keys move by one column of the chart.
    const by = Math.max(1, Math.round(count / columns.length));
    const targets = { next: at + 1, previous: at - 1, below: at + by, above: at - by, first: 0 };
    select(move === "last" ? count - 1 : targets[move], selection, event.shiftKey);
  };
  const words = texts.series.map((series) => `${series.name} ${series.value}`).join(", ");
  return (
    <figure className="chart">
      <figcaption>
        <strong>{texts.title}</strong> <span className="chart-about">{texts.about}</span>
        <ul>
          {texts.series.map(({ swatch, name: series, value }) => (
            <li key={swatch}>
              <i className={`swatch swatch-${swatch}`} aria-hidden="true" />
              {series} <b>{value}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div
        role="slider"
        aria-label={texts.title}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(selection?.cursor ?? 0) + 1}
        aria-valuetext={`${of}: ${words}`}
        tabIndex={0}
        className="chart-plot"
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
      >
        <div aria-hidden="true">
          <Plot
            columns={columns}
            length={length}
            cursor={selection?.cursor ?? null}
            range={isRange(selection) ? rangeOf(selection) : null}
          />
        </div>
      </div>
    </figure>
  );
}
