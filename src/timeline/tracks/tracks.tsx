/** What took from when to when: a lane for the model, the sampler, each mod and the output, by token or by time. */
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { formatDuration } from "../../base/number-text.ts";
import { choose, extendTo, rangeOf, type Selection } from "../../trace/selection.ts";
import { timeByPart } from "../../trace/time-by-part.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { describeToken } from "../../trace/trace-text.ts";
import { type AxisView, panned, showing, toValue, wholeOf, zoomed, zoomedTo } from "../axis-view.ts";
import { clearedContext, useCanvas } from "../use-canvas.ts";
import { heightOf, laneAt, laneHeight, paintTracks, topOf } from "./paint-tracks.ts";
import { partName } from "./part-words.ts";
import { type SpanWords, spanWords } from "./span-words.ts";
import { type AxisName, axisLimits, placeOf, tokenAtValue } from "./track-axis.ts";
import { type Block, eachBlock, lanesOf } from "./track-lanes.ts";
import { useTrackGestures } from "./use-track-gestures.ts";
import "./tracks.css";

export interface TracksProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly axis: AxisName;
  /** What is in view; null for the whole. */
  readonly view: AxisView | null;
  readonly selection: Selection | null;
  readonly onView: (view: AxisView | null) => void;
  readonly onSelect: (selection: Selection) => void;
}

interface Pointed {
  readonly left: number;
  readonly width: number;
  readonly lane: number;
  /** Whether there is room below it for what is said of it. */
  readonly isHigh: boolean;
  readonly words: SpanWords;
}

/** Px that the tip may need below the pointer. */
const tipHeight = 110;

/** How much a key zooms, and which part of the view it pans. */
const keyZoom = 1.5;
const keyPan = 0.2;

export const Tracks = memo(function Tracks(props: TracksProps) {
  const { trace, version, running, axis, view: given, selection, onView, onSelect } = props;
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useCanvas(canvas);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const modCount = Math.max(trace.request?.mods.length ?? 0, trace.timeSpans.mods.length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lanes change with the mods, and the trace grows in place
  const lanes = useMemo(() => lanesOf(trace), [trace, modCount]);
  const count = trace.tokens.text.length;
  const limits = axisLimits(trace, axis, running);
  const view = given ?? wholeOf(limits);
  const width = place?.width ?? 1;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    const context = canvas.current && place && clearedContext(canvas.current, place);
    if (context) paintTracks(context, place, { trace, lanes, axis, view, selection });
  }, [trace, version, lanes, axis, view.from, view.to, selection, place]);

  const cursor = selection && selection.cursor < count ? selection.cursor : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice is brought in sight
  useEffect(() => {
    if (!given || cursor === null) return;
    const next = showing(given, placeOf(trace, axis, { first: cursor, end: cursor + 1 }), limits);
    if (next !== given) onView(next);
  }, [cursor]);

  const setView = (next: AxisView) => {
    const whole = wholeOf(limits);
    setPointed(null);
    onView(next.from <= whole.from && next.to >= whole.to ? null : next);
  };
  /** The selection as a drag has made it so far: a drag is faster than the page draws. */
  const latest = useRef(selection);
  latest.current = selection;
  const select = (index: number, extend: boolean) => {
    if (count === 0) return;
    const next = choose(latest.current, index, extend);
    latest.current = next;
    if (next.cursor !== selection?.cursor || next.anchor !== selection.anchor) onSelect(next);
  };
  const gestures = useTrackGestures(surface, {
    zoom: (factor, x) => setView(zoomed(view, factor, toValue(view, width, x), limits)),
    pan: (px) => setView(panned(view, (px / width) * (view.to - view.from), limits)),
    choose: (x, extend) => select(tokenAtValue(trace, axis, toValue(view, width, x)), extend),
  });
  const point = (event: PointerEvent<HTMLElement>) => {
    gestures.onPointerMove(event);
    if (event.pointerType === "touch" || !gestures.isIdle()) return setPointed(null);
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const number = laneAt(y, lanes.length);
    const lane = lanes[number];
    const found = lane && blockAt(x, (give) => eachBlock(trace, lane, { axis, view, width }, give));
    if (!lane || !found) return setPointed(null);
    const words = spanWords(trace, lane, found.item, found.count);
    const isHigh = event.clientY + tipHeight < innerHeight;
    setPointed({ left: found.left, width: found.width, lane: number, isHigh, words });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = cursor === null ? null : placeOf(trace, axis, { first: cursor, end: cursor + 1 });
    const isSeen = middle && middle.from >= view.from && middle.to <= view.to;
    const at = isSeen ? (middle.from + middle.to) / 2 : (view.from + view.to) / 2;
    const size = view.to - view.from;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => select(Math.max(0, (cursor ?? 1) - 1), event.shiftKey),
      ArrowRight: () => select(Math.min(count - 1, (cursor ?? -1) + 1), event.shiftKey),
      Home: () => select(0, event.shiftKey),
      End: () => select(count - 1, event.shiftKey),
      "+": () => setView(zoomed(view, 1 / keyZoom, at, limits)),
      "-": () => setView(zoomed(view, keyZoom, at, limits)),
      a: () => setView(panned(view, -keyPan * size, limits)),
      d: () => setView(panned(view, keyPan * size, limits)),
      "0": () => setView(wholeOf(limits)),
      z: () =>
        selection && cursor !== null && setView(zoomedTo(placeOf(trace, axis, rangeOf(selection)), limits)),
    };
    const move = moves[sameKeys[event.key] ?? event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    <div className="tracks" style={{ height: heightOf(lanes.length) }}>
      <ul className="track-names" aria-hidden="true">
        {lanes.map((lane, number) => (
          <li
            key={`${lane.kind} ${lane.mod}`}
            style={{ top: topOf(number), height: laneHeight }}
            title={lane.name}
          >
            <span className={lane.kind === "mod" ? "track-mod" : undefined}>{lane.name}</span>
          </li>
        ))}
      </ul>
      <div
        ref={surface}
        role="slider"
        aria-label="Tracks"
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, count)}
        aria-valuenow={(cursor ?? 0) + 1}
        aria-valuetext={cursor === null ? "no token selected" : cursorText(trace, cursor, selection)}
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

const sameKeys: Readonly<Record<string, string>> = { "=": "+", w: "+", _: "-", s: "-" };

/** What a screen reader says of the cursor: its token, and what each part of the work took for it. */
function cursorText(trace: TraceModel, cursor: number, selection: Selection | null): string {
  const range = rangeOf(extendTo(selection, cursor));
  const many = range.end - range.first > 1 ? `, ${range.end - range.first} tokens selected` : "";
  const parts = timeByPart(trace, { first: cursor, end: cursor + 1 }).map(
    ({ part, totalUs }) => `${partName(trace, part)}${totalUs === null ? "" : ` ${formatDuration(totalUs)}`}`,
  );
  return [describeToken(trace, cursor) + many, ...parts].join("; ");
}

/** The block that px belongs to: of several, the last, which is drawn on top. Narrow ones are easy to miss, so near is enough. */
function blockAt(x: number, each: (give: (block: Readonly<Block>) => void) => void): Block | null {
  let found: Block | null = null;
  each((block) => {
    const reach = block.width < 4 ? 2 : 0;
    if (x >= block.left - reach && x < block.left + block.width + reach) found = { ...block };
  });
  return found;
}

/** Px from which on the tip stands to the left of what it is about. */
const tipWidth = 280;

function Tip({ pointed, width }: { pointed: Pointed; width: number }) {
  const { left, width: wide, lane, isHigh, words } = pointed;
  const from = Math.max(0, left);
  const top = topOf(lane);
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
          ...(isHigh ? { top: top + laneHeight + 4 } : { bottom: `calc(100% - ${top - 4}px)` }),
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
