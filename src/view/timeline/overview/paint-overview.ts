/** Draws the overview: bars of surprisal, and above them what mods did. */
import { overviewColumns, overviewMark } from "../../../core/trace/model/overview-columns.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { type AxisView, axisValueToX } from "../axis-view.ts";
import type { Palette } from "../palette.ts";
import { type CanvasSizeAndPalette, prepareCanvasContext } from "../use-canvas.ts";

/** Height in px of the band of marks. The bars of surprisal stand below the band, and reach it at 12 bits. */
const markBand = 10;
const fullBits = 12;

export function paintOverview(
  canvas: HTMLCanvasElement,
  trace: TraceModel,
  place: CanvasSizeAndPalette,
  view: AxisView,
) {
  const context = prepareCanvasContext(canvas, place);
  if (!context) return;
  const { width: whole, height: high, palette } = place;
  const count = trace.tokens.text.length;
  const first = Math.min(count, Math.floor(view.from));
  const end = Math.min(count, Math.ceil(view.to));
  const drawn = (whole / 2) * ((end - first) / (view.to - view.from));
  const { starts, surprisal, marks } = overviewColumns(trace, drawn, { first, end });
  const x = (token: number) => axisValueToX(view, whole, token);
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
  // A base line over the whole width, because a token that the model was sure of has no bar.
  context.fillStyle = palette.lineStrong;
  context.fillRect(x(first), high - baseline, x(end) - x(first), baseline);
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
  if (mark & overviewMark.asked) {
    context.fillStyle = palette.ink3;
    context.fillRect(left, 7, width, 1);
  }
  if (mark & overviewMark.steered) {
    context.fillStyle = palette.steered;
    context.fillRect(left, markBand - 1, width, 1);
  }
}
