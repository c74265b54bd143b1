/**
 * The whole run at a glance, or a part of it larger: how surprising each token was, and where mods acted. The drawing
 * is also available in words: the cursor as the value of a slider, the part in view as its description.
 */
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { isRange, rangeOf, type Selection, type TokenRange } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { IconButton } from "../../ui/button.tsx";
import { actOnAxisKey } from "../axis-keys.ts";
import {
  type AxisView,
  axisValueToX,
  axisXToValue,
  centredOn,
  clampAxisView,
  movedToFitPart,
  panned,
  showsWholeAxis,
  wholeAxisView,
  zoomed,
  zoomedTo,
} from "../axis-view.ts";
import { useAxisGestures } from "../use-axis-gestures.ts";
import { useCanvasSizeAndPalette } from "../use-canvas.ts";
import { useTokenSelect } from "../use-select.ts";
import { paintOverview } from "./paint-overview.ts";
import { useOverviewDescription } from "./use-overview-labels.ts";
import { useRangeDrag } from "./use-range-drag.ts";
import "./overview.css";

interface OverviewProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selection: Selection | null;
  /** The tokens that another view below shows; null if that view shows the whole run. */
  readonly shown: TokenRange | null;
  /** Moves that other view, so that the token is in its middle. */
  readonly onShow: (middle: number) => void;
  readonly onSelect: (selection: Selection) => void;
}

/** The most px that one token's column may take, so that a run of a few tokens does not fill the strip with wide bars. */
const widestToken = 24;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: gestures and drawing share one range
export const Overview = memo(function Overview(props: OverviewProps) {
  const { trace, version, running, selection, shown, onShow, onSelect } = props;
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useCanvasSizeAndPalette(canvas);
  const width = place?.width ?? 1;
  const count = trace.tokens.text.length;
  // While the run is in progress, the strip is scaled to `maxTokens`, so that drawn tokens do not move.
  const longest = Math.max(count, running ? (trace.request?.maxTokens ?? 0) : 0, 1);
  const limits = { length: longest, least: width / widestToken };
  const [zoom, setZoom] = useState<{ readonly trace: TraceModel; readonly view: AxisView } | null>(null);
  const given = zoom?.trace === trace ? clampAxisView(zoom.view, limits) : null;
  const view = given ?? wholeAxisView(limits);
  const setView = (next: AxisView) => setZoom(showsWholeAxis(next, limits) ? null : { trace, view: next });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  useEffect(() => {
    if (canvas.current && place) paintOverview(canvas.current, trace, place, view);
  }, [trace, version, place, view.from, view.to]);

  const cursor = selection && selection.cursor < count ? selection.cursor : null;
  const bringInSight = (part: AxisView) => given && setView(movedToFitPart(given, part, limits));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection is scrolled into view
  useEffect(() => {
    if (cursor !== null) bringInSight({ from: cursor, to: cursor + 1 });
  }, [cursor]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new part is scrolled into view
  useEffect(() => {
    if (shown) bringInSight({ from: shown.first, to: shown.end });
  }, [shown?.first, shown?.end]);

  const select = useTokenSelect(selection, count, onSelect);
  const gestures = useAxisGestures(strip, {
    zoom: (factor, x) => setView(zoomed(view, factor, axisXToValue(view, width, x), limits)),
    pan: (px) => setView(panned(view, (px / width) * (view.to - view.from), limits)),
    choose(x, extend) {
      const under = Math.floor(axisXToValue(view, width, x));
      if (extend || under < count) select(Math.max(0, Math.min(count - 1, under)), extend);
    },
    rulerHeight: 0,
    fingerSelects: given === null,
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    actOnAxisKey(event, {
      view,
      limits,
      count,
      cursor,
      select,
      setView,
      cursorPlace: cursor === null ? null : { from: cursor, to: cursor + 1 },
      selectionPlace: selection && cursor !== null ? axisOf(rangeOf(selection)) : null,
    });
  const valueIn = (part: AxisView) => (clientX: number) => {
    const box = strip.current?.getBoundingClientRect();
    return box ? axisXToValue(part, box.width, clientX - box.left) : 0;
  };
  const moveShown = useRangeDrag({
    valueAt: valueIn(view),
    middle: shown ? (shown.first + shown.end) / 2 : 0,
    onMiddle: (middle) => onShow(Math.max(0, Math.min(count - 1, Math.floor(middle)))),
  });
  const whole = wholeAxisView(limits);
  const scroll = useRangeDrag({
    valueAt: valueIn(whole),
    middle: (view.from + view.to) / 2,
    onMiddle: (middle) => setView(centredOn(view, middle, limits)),
  });
  const zoomIn = () => {
    const range = isRange(selection) && cursor !== null ? axisOf(rangeOf(selection)) : null;
    const fits = range && range.to - range.from < (view.to - view.from) / 2;
    const isSeen = cursor !== null && cursor >= view.from && cursor < view.to;
    const at = isSeen ? cursor + 0.5 : (view.from + Math.min(view.to, count)) / 2;
    setView(fits ? zoomedTo(range, limits) : zoomed(view, 1 / 3, at, limits));
  };

  const words = useOverviewDescription({
    trace,
    version,
    running,
    first: Math.min(count, Math.floor(view.from)),
    end: Math.min(count, Math.ceil(view.to)),
  });
  const canZoom = count > 0 && whole.to > limits.least;
  const range = isRange(selection) ? axisOf(rangeOf(selection)) : null;
  return (
    <div className="overview">
      {count > 0 && (
        <p className="overview-unit" aria-hidden="true">
          <span>surprisal</span>
          <span>12 bits</span>
          <span>0</span>
        </p>
      )}
      <div
        ref={strip}
        role="slider"
        aria-label="Overview"
        aria-description={words}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, count)}
        aria-valuenow={(cursor ?? 0) + 1}
        aria-valuetext={cursor === null ? "no token selected" : describeToken(trace, cursor)}
        tabIndex={0}
        className="overview-strip"
        onKeyDown={onKeyDown}
        onPointerDown={gestures.onPointerDown}
        onPointerMove={gestures.onPointerMove}
        onPointerUp={gestures.onPointerUp}
        onPointerCancel={gestures.onPointerCancel}
      >
        <div className="overview-clip">
          {range && (
            <i
              className="overview-range"
              style={partStyle(view, { ...range, to: Math.min(range.to, count) })}
            />
          )}
          <canvas ref={canvas} />
          {shown && <i className="overview-shown" style={partStyle(view, axisOf(shown))} {...moveShown} />}
          {cursor !== null && (
            <i className="overview-cursor" style={{ left: `${axisValueToX(view, 100, cursor + 0.5)}%` }} />
          )}
        </div>
        {given && <i className="overview-scroll" style={partStyle(whole, view)} {...scroll} />}
      </div>
      {canZoom && (
        <div className="overview-tools">
          <IconButton
            icon="plus"
            label="Zoom in on the overview"
            disabled={view.to - view.from <= limits.least}
            onClick={zoomIn}
          />
          <IconButton
            icon="fit"
            label="Show all tokens in the overview"
            disabled={given === null}
            onClick={() => setView(whole)}
          />
        </div>
      )}
    </div>
  );
});

const axisOf = ({ first, end }: TokenRange): AxisView => ({ from: first, to: end });

/** The position of a part in a view. */
function partStyle(view: AxisView, { from, to }: AxisView) {
  return {
    left: `${axisValueToX(view, 100, from)}%`,
    width: `${(100 * (to - from)) / (view.to - view.from)}%`,
  };
}
