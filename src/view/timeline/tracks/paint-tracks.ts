/** Draws the tracks on a canvas: an axis, the selection, and a lane of blocks for each part of the work. */
import { rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { axisValueToX, tickStep } from "../axis-view.ts";
import type { CanvasSizeAndPalette } from "../use-canvas.ts";
import { paintBlock } from "./paint-block.ts";
import { axisPartOfTokens, formatTick } from "./track-axis.ts";
import { type AxisScale, type Lane, visitLaneBlocks } from "./track-lanes.ts";

/** Px. */
export const rulerHeight = 22;
export const laneHeight = 26;
const laneGap = 4;
const leastBetweenTicks = 72;

/** The top of a lane, from the top of the canvas. */
export const laneTop = (lane: number): number => rulerHeight + laneGap + lane * (laneHeight + laneGap);

export const tracksHeight = (laneCount: number): number => laneTop(laneCount);

/** The lane at a height; -1 if there is none. */
export function laneAt(y: number, laneCount: number): number {
  const lane = Math.floor((y - laneTop(0)) / (laneHeight + laneGap));
  return lane < laneCount ? Math.max(-1, lane) : -1;
}

export const canvasFont = '12px "Inter Variable", system-ui, sans-serif';

export interface TracksPicture extends Omit<AxisScale, "width"> {
  readonly trace: TraceModel;
  readonly lanes: readonly Lane[];
  readonly selection: Selection | null;
}

export function paintTracks(
  context: CanvasRenderingContext2D,
  place: CanvasSizeAndPalette,
  picture: TracksPicture,
): void {
  const scale: AxisScale = { ...picture, width: place.width };
  context.font = canvasFont;
  context.textBaseline = "middle";
  paintSelection(context, place, picture, scale);
  paintRuler(context, place, picture, scale);
  for (const [number, lane] of picture.lanes.entries()) {
    const top = laneTop(number);
    context.fillStyle = place.palette.line;
    context.fillRect(0, top + laneHeight, place.width, 1);
    visitLaneBlocks(picture.trace, lane, scale, (block) =>
      paintBlock(context, { ...place, trace: picture.trace, lane, top, height: laneHeight }, block),
    );
  }
  paintCursor(context, place, picture, scale);
}

function paintSelection(
  context: CanvasRenderingContext2D,
  { height, palette }: CanvasSizeAndPalette,
  { trace, axis, view, selection }: TracksPicture,
  { width }: AxisScale,
): void {
  const range = selection && rangeOf(selection);
  if (!range || range.end > trace.tokens.text.length) return;
  const { from, to } = axisPartOfTokens(trace, axis, range);
  const left = axisValueToX(view, width, from);
  const right = Math.max(left + 1, axisValueToX(view, width, to));
  context.fillStyle = palette.selected;
  context.globalAlpha = 0.45;
  context.fillRect(left, 0, right - left, height);
  context.globalAlpha = 1;
}

/** Marks the cursor's token: by its two borders if there is room between them, otherwise by a line. */
function paintCursor(
  context: CanvasRenderingContext2D,
  { height, palette }: CanvasSizeAndPalette,
  { trace, axis, view, selection }: TracksPicture,
  { width }: AxisScale,
): void {
  if (!selection || selection.cursor >= trace.tokens.text.length) return;
  const { from, to } = axisPartOfTokens(trace, axis, { first: selection.cursor, end: selection.cursor + 1 });
  const left = axisValueToX(view, width, from);
  const right = axisValueToX(view, width, to);
  context.fillStyle = palette.accent;
  if (right - left < 8) {
    context.fillRect((left + right) / 2 - 1, 0, 2, height);
    return;
  }
  for (const x of [left, right]) context.fillRect(x - 0.5, 0, 1, height);
  context.fillRect(left, 0, right - left, 2);
}

function paintRuler(
  context: CanvasRenderingContext2D,
  { height, palette }: CanvasSizeAndPalette,
  { trace, axis, view }: TracksPicture,
  { width }: AxisScale,
): void {
  const step = Math.max(tickStep(view, width, leastBetweenTicks), axis === "tokens" ? 1 : 0);
  const end = axis === "tokens" ? Math.min(view.to, Math.max(1, trace.tokens.text.length)) : view.to;
  for (let tick = Math.max(0, Math.floor(view.from / step)); tick * step <= end; tick += 1) {
    // Labels count tokens from 1, so the tick of token 10 is at the beginning of the token with index 9.
    const value = axis === "tokens" ? Math.max(0, tick * step - 1) : tick * step;
    const x = axisValueToX(view, width, value);
    if (x < 0) continue;
    context.fillStyle = palette.line;
    context.fillRect(Math.round(x), 0, 1, height);
    context.fillStyle = palette.ink3;
    const text = formatTick(axis, axis === "tokens" ? value + 1 : value, step);
    if (x + context.measureText(text).width + 4 < width) context.fillText(text, x + 4, rulerHeight / 2 + 1);
  }
}
