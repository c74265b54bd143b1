/** The tracks: a lane for the model, the sampler, each mod and the output, by token or by time. */
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { formatDuration } from "../../../core/base/number-text.ts";
import { extendTo, rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import { timeByPart } from "../../../core/trace/model/time-by-part.ts";
import { timeSpansOf } from "../../../core/trace/model/time-spans.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { actOnAxisKey } from "../axis-keys.ts";
import {
  type AxisView,
  axisXToValue,
  movedToShow,
  panned,
  showsWholeAxis,
  wholeAxisView,
  zoomed,
} from "../axis-view.ts";
import { useAxisGestures } from "../use-axis-gestures.ts";
import { prepareCanvasContext, useCanvasSizeAndPalette } from "../use-canvas.ts";
import { useTokenSelect } from "../use-select.ts";
import { laneAt, laneHeight, laneTop, paintTracks, rulerHeight, tracksHeight } from "./paint-tracks.ts";
import { timePartName } from "./part-labels.ts";
import { describeSpan, type SpanDescription } from "./span-labels.ts";
import { type AxisName, axisLimits, axisPartOfTokens, tokenAtValue } from "./track-axis.ts";
import { type AxisScale, type Lane, type LaneBlock, lanesOf, visitLaneBlocks } from "./track-lanes.ts";
import "./tracks.css";

export interface TracksProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly axis: AxisName;
  /** The part in view; null for the whole. */
  readonly view: AxisView | null;
  readonly selection: Selection | null;
  readonly onView: (view: AxisView | null) => void;
  readonly onSelect: (selection: Selection) => void;
}

interface Pointed {
  readonly left: number;
  readonly width: number;
  readonly lane: number;
  /** Whether there is room for the tip below the block; otherwise the tip is above the block. */
  readonly hasRoomBelow: boolean;
  readonly words: SpanDescription;
}

/** Px that the tip may need below the pointer. */
const tipHeight = 110;

export const Tracks = memo(function Tracks(props: TracksProps) {
  const { trace, version, running, axis, view: given, selection, onView, onSelect } = props;
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useCanvasSizeAndPalette(canvas);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const modCount = Math.max(trace.request?.mods.length ?? 0, timeSpansOf(trace).mods.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lanes change with the mods, and the trace grows in place
  const lanes = useMemo(() => lanesOf(trace), [trace, modCount]);
  const count = trace.tokens.text.length;
  const limits = axisLimits(trace, axis, running);
  const view = given ?? wholeAxisView(limits);
  const width = place?.width ?? 1;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    const context = canvas.current && place && prepareCanvasContext(canvas.current, place);
    if (context) paintTracks(context, place, { trace, lanes, axis, view, selection });
  }, [trace, version, lanes, axis, view.from, view.to, selection, place]);

  const cursor = selection && selection.cursor < count ? selection.cursor : null;
  useCursorInView(props, cursor, limits);

  const setView = (next: AxisView) => {
    setPointed(null);
    onView(showsWholeAxis(next, limits) ? null : next);
  };
  const select = useTokenSelect(selection, count, onSelect);
  const gestures = useAxisGestures(surface, {
    zoom: (factor, x) => setView(zoomed(view, factor, axisXToValue(view, width, x), limits)),
    pan: (px) => setView(panned(view, (px / width) * (view.to - view.from), limits)),
    choose: (x, extend) => select(tokenAtValue(trace, axis, axisXToValue(view, width, x)), extend),
    rulerHeight,
    fingerSelects: false,
  });
  const point = (event: PointerEvent<HTMLElement>) => {
    gestures.onPointerMove(event);
    if (event.pointerType === "touch" || !gestures.isIdle()) return setPointed(null);
    setPointed(pointedAt(event, trace, lanes, { axis, view, width }));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    actOnAxisKey(event, {
      view,
      limits,
      count,
      cursor,
      select,
      setView,
      cursorPlace: cursor === null ? null : axisPartOfTokens(trace, axis, { first: cursor, end: cursor + 1 }),
      selectionPlace: selection && cursor !== null ? axisPartOfTokens(trace, axis, rangeOf(selection)) : null,
    });
  return (
    <div className="tracks" style={{ height: tracksHeight(lanes.length) }}>
      <LaneNames lanes={lanes} />
      <div
        ref={surface}
        role="slider"
        aria-label="Tracks"
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, count)}
        aria-valuenow={(cursor ?? 0) + 1}
        aria-valuetext={cursor === null ? "no token selected" : describeCursor(trace, cursor, selection)}
        tabIndex={0}
        className="track-surface"
        onKeyDown={onKeyDown}
        onPointerDown={gestures.onPointerDown}
        onPointerMove={point}
        onPointerUp={gestures.onPointerUp}
        onPointerCancel={gestures.onPointerCancel}
        onPointerLeave={() => setPointed(null)}
      >
        <canvas ref={canvas} />
        {pointed && <Tip pointed={pointed} width={width} />}
      </div>
    </div>
  );
});

/** Moves the view to the cursor when another token is chosen. */
function useCursorInView(
  { trace, axis, view, onView }: TracksProps,
  cursor: number | null,
  limits: ReturnType<typeof axisLimits>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection is scrolled into view
  useEffect(() => {
    if (!view || cursor === null) return;
    const next = movedToShow(view, axisPartOfTokens(trace, axis, { first: cursor, end: cursor + 1 }), limits);
    if (next !== view) onView(next);
  }, [cursor]);
}

function LaneNames({ lanes }: { lanes: readonly Lane[] }) {
  return (
    <ul className="track-names" aria-hidden="true">
      {lanes.map((lane, number) => (
        <li
          key={`${lane.kind} ${lane.mod}`}
          style={{ top: laneTop(number), height: laneHeight }}
          title={lane.name}
        >
          <span className={lane.kind === "mod" ? "track-mod" : undefined}>{lane.name}</span>
        </li>
      ))}
    </ul>
  );
}

/** The block under the pointer; null if there is none. */
function pointedAt(
  event: PointerEvent<HTMLElement>,
  trace: TraceModel,
  lanes: readonly Lane[],
  scale: AxisScale,
): Pointed | null {
  const box = event.currentTarget.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const number = laneAt(y, lanes.length);
  const lane = lanes[number];
  const found = lane && blockAt(x, (give) => visitLaneBlocks(trace, lane, scale, give));
  if (!lane || !found) return null;
  const words = describeSpan(trace, lane, found.item, found.count);
  const hasRoomBelow = event.clientY + tipHeight < innerHeight;
  return { left: found.left, width: found.width, lane: number, hasRoomBelow, words };
}

/** The cursor's text for screen readers: its token, and the time of each part of the work for it. */
function describeCursor(trace: TraceModel, cursor: number, selection: Selection | null): string {
  const range = rangeOf(extendTo(selection, cursor));
  const many = range.end - range.first > 1 ? `, ${range.end - range.first} tokens selected` : "";
  const parts = timeByPart(trace, { first: cursor, end: cursor + 1 }).map(
    ({ part, totalUs }) =>
      `${timePartName(trace, part)}${totalUs === null ? "" : ` ${formatDuration(totalUs)}`}`,
  );
  return [describeToken(trace, cursor) + many, ...parts].join("; ");
}

/**
 * The block at an x position; if there are several, the last one, which is drawn on top. Narrow blocks also count if the
 * position is near.
 */
function blockAt(x: number, each: (give: (block: Readonly<LaneBlock>) => void) => void): LaneBlock | null {
  let found: LaneBlock | null = null;
  each((block) => {
    const reach = block.width < 4 ? 2 : 0;
    if (x >= block.left - reach && x < block.left + block.width + reach) found = { ...block };
  });
  return found;
}

/** If the right edge is nearer than this, in px, the tip is to the left of its block. */
const tipWidth = 280;

function Tip({ pointed, width }: { pointed: Pointed; width: number }) {
  const { left, width: wide, lane, hasRoomBelow, words } = pointed;
  const from = Math.max(0, left);
  const top = laneTop(lane);
  return (
    <>
      <i
        className="track-pointed"
        style={{ left: from, width: Math.min(width, left + wide) - from, top, height: laneHeight }}
      />
      <div
        className="track-tip"
        aria-hidden="true"
        style={{
          ...(from > width - tipWidth ? { right: Math.max(0, width - left - wide) } : { left: from }),
          ...(hasRoomBelow ? { top: top + laneHeight + 4 } : { bottom: `calc(100% - ${top - 4}px)` }),
        }}
      >
        <p>{words.what}</p>
        {words.took && (
          <p className="track-tip-time">
            <strong>{words.took}</strong> {words.at && `from ${words.at}`}
          </p>
        )}
      </div>
    </>
  );
}
