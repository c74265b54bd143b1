/** The whole run at a glance: how surprising each token was, and where mods acted. Repeats the ribbon, so it is hidden from screen readers. */
import { memo, type PointerEvent, useEffect, useRef } from "react";
import { overviewColumns, overviewMark } from "../trace/overview-columns.ts";
import { choose, isRange, rangeOf, type Selection, type TokenRange } from "../trace/selection.ts";
import type { TraceModel } from "../trace/trace-model.ts";
import { type AxisView, toValue, toX } from "./axis-view.ts";
import type { Palette } from "./palette.ts";
import { type CanvasPlace, clearedContext, useCanvas } from "./use-canvas.ts";
import "./overview.css";

interface OverviewProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selection: Selection | null;
  /** The tokens that another view below shows of the run; null where it shows the whole. */
  readonly shown: TokenRange | null;
  readonly onSelect: (selection: Selection) => void;
}

/** Height in px of the band of marks. The bars of surprisal stand below the band, and reach it at 12 bits. */
const markBand = 10;
const fullBits = 12;

/** The most px that one token's column may take, so that a run of a few tokens does not fill the strip with wide bars. */
const widestToken = 24;

export const Overview = memo(function Overview({
  trace,
  version,
  running,
  selection,
  shown,
  onSelect,
}: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useCanvas(canvas);
  const count = trace.tokens.text.length;
  // While the run goes on, the strip is scaled to `maxTokens`, so that what is drawn stays in its place.
  const longest = Math.max(count, running ? (trace.request?.maxTokens ?? 0) : 0, 1);
  const domain = Math.max(longest, (place?.width ?? 0) / widestToken);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    if (canvas.current && place) draw(canvas.current, trace, place, { from: 0, to: domain });
  }, [trace, version, place, domain]);
  /** The selection as the drag has made it so far: a drag is faster than the page draws. */
  const dragged = useRef<Selection | null>(null);
  const drag = (event: PointerEvent<HTMLElement>, from: Selection | null, extend: boolean) => {
    const box = event.currentTarget.getBoundingClientRect();
    const under = Math.floor(toValue({ from: 0, to: domain }, box.width, event.clientX - box.left));
    if (!extend && under >= count) return;
    const next = choose(from, Math.max(0, Math.min(count - 1, under)), extend);
    dragged.current = next;
    if (next.cursor !== selection?.cursor || next.anchor !== selection.anchor) onSelect(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || count === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag(event, selection, event.shiftKey);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (dragged.current) drag(event, dragged.current, true);
  };
  const onPointerUp = () => {
    dragged.current = null;
  };
  const share = (token: number) => `${toX({ from: 0, to: domain }, 100, token)}%`;
  const range = isRange(selection) ? rangeOf(selection) : null;
  return (
    <div className="overview" aria-hidden="true">
      <div
        className="overview-strip"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
      >
        {range && (
          <i
            className="overview-range"
            style={{ left: share(range.first), width: share(Math.min(range.end, count) - range.first) }}
          />
        )}
        <canvas ref={canvas} />
        {shown && (
          <i
            className="overview-shown"
            style={{ left: share(shown.first), width: share(shown.end - shown.first) }}
          />
        )}
        {selection !== null && selection.cursor < count && (
          <i className="overview-cursor" style={{ left: share(selection.cursor + 0.5) }} />
        )}
      </div>
    </div>
  );
});

function draw(canvas: HTMLCanvasElement, trace: TraceModel, place: CanvasPlace, view: AxisView) {
  const context = clearedContext(canvas, place);
  if (!context) return;
  const { width: whole, height: high, palette } = place;
  const { starts, surprisal, marks } = overviewColumns(trace, whole / 2);
  const x = (token: number) => toX(view, whole, token);
  const baseline = 1;
  const barHeight = high - markBand - 2 - baseline;
  const gap = x(1) - x(0) > 3 ? 1 : 0;
  for (let column = 0; column < marks.length; column += 1) {
    const left = x(starts[column] ?? 0);
    const columnWidth = x(starts[column + 1] ?? 0) - left;
    const bits = surprisal[column] ?? Number.NaN;
    const mark = marks[column] ?? 0;
    context.fillStyle = mark & overviewMark.removed ? palette.lineStrong : palette.ink3;
    context.globalAlpha = mark & overviewMark.removed ? 0.45 : 0.8;
    if (!Number.isNaN(bits)) {
      const height = Math.min(1, bits / fullBits) * barHeight;
      context.fillRect(left, high - baseline - height, Math.max(1, columnWidth - gap), height);
    }
    context.globalAlpha = 1;
    drawMarks(context, mark, left, Math.max(1, columnWidth), palette);
  }
  // A line from end to end: a token that the model was sure of has no bar above it.
  context.fillStyle = palette.lineStrong;
  context.fillRect(0, high - baseline, x(starts.at(-1) ?? 0), baseline);
}

/**
 * Draws the marks of one column. Each kind of mark has a height and a shape of its own. A mark is as wide as its column, so
 * that a span of tokens is one bar.
 */
function drawMarks(
  context: CanvasRenderingContext2D,
  mark: number,
  left: number,
  width: number,
  palette: Palette,
) {
  if (mark & overviewMark.forced) {
    context.fillStyle = palette.forced;
    context.fillRect(left, 0, width, 4);
  }
  if (mark & overviewMark.reinjected) {
    context.fillStyle = palette.reinjected;
    context.fillRect(left, 0, width, 1.5);
    context.fillRect(left, 3, width, 1.5);
  }
  if (mark & overviewMark.adjusted) {
    context.fillStyle = palette.adjusted;
    context.beginPath();
    context.moveTo(left + width / 2, 0);
    context.lineTo(left + width / 2 + 2.5, 4);
    context.lineTo(left + width / 2 - 2.5, 4);
    context.fill();
  }
  if (mark & overviewMark.removed) {
    context.fillStyle = palette.removed;
    context.fillRect(left, 6, width, 2);
  }
}
