/**
 * The geometry that all views over a run share: an axis of tokens or microseconds, the part of the axis in view, and
 * conversion between axis values and px. Views are immutable: zooming and panning return a new view. Pure.
 */

/** A part of the axis, from `from` up to, but not including, `to`; `from` is less than `to`. */
export interface AxisView {
  readonly from: number;
  readonly to: number;
}

export interface AxisLimits {
  /** The axis runs from 0 to this value. */
  readonly length: number;
  /** The shortest part of the axis that a view may show. */
  readonly least: number;
}

/** Converts a value of the axis to px from the left edge. `width`: px of the drawn view. */
export function axisValueToX({ from, to }: AxisView, width: number, value: number): number {
  return ((value - from) / (to - from)) * width;
}

export function axisXToValue({ from, to }: AxisView, width: number, x: number): number {
  return from + (x / width) * (to - from);
}

export function wholeAxisView({ length, least }: AxisLimits): AxisView {
  return { from: 0, to: Math.max(length, least) };
}

/** The view, moved and shrunk so that it lies within the axis. */
export function clampAxisView({ from, to }: AxisView, limits: AxisLimits): AxisView {
  const whole = wholeAxisView(limits);
  const size = Math.min(Math.max(to - from, limits.least), whole.to);
  const middle = (from + to) / 2;
  const start = Math.max(0, Math.min(middle - size / 2, whole.to - size));
  return { from: start, to: start + size };
}

/**
 * Shows `factor` times as much of the axis. The value `at` stays at its place in the view, unless an end of the axis prevents
 * it.
 */
export function zoomed({ from, to }: AxisView, factor: number, at: number, limits: AxisLimits): AxisView {
  const whole = wholeAxisView(limits);
  const size = Math.min(Math.max((to - from) * factor, limits.least), whole.to);
  const share = Math.max(0, Math.min(1, (at - from) / (to - from)));
  return clampAxisView({ from: at - share * size, to: at + (1 - share) * size }, limits);
}

export function panned({ from, to }: AxisView, by: number, limits: AxisLimits): AxisView {
  return clampAxisView({ from: from + by, to: to + by }, limits);
}

/** The view, moved by the least distance that makes the values visible with some margin. */
export function movedToShow(view: AxisView, { from, to }: AxisView, limits: AxisLimits): AxisView {
  const margin = (view.to - view.from) / 12;
  if (to > view.to) return panned(view, to + margin - view.to, limits);
  if (from < view.from) return panned(view, from - margin - view.from, limits);
  return view;
}

/** The view, moved by the least distance that makes a part of the axis visible. It is enlarged only if the part is larger. */
export function movedToFitPart(view: AxisView, part: AxisView, limits: AxisLimits): AxisView {
  if (part.from >= view.from && part.to <= view.to) return view;
  return part.to - part.from > view.to - view.from ? zoomedTo(part, limits) : movedToShow(view, part, limits);
}

/** The view of the same size with the value in its middle, or as near to it as the axis allows. */
export function centredOn({ from, to }: AxisView, value: number, limits: AxisLimits): AxisView {
  return panned({ from, to }, value - (from + to) / 2, limits);
}

export function showsWholeAxis({ from, to }: AxisView, limits: AxisLimits): boolean {
  const whole = wholeAxisView(limits);
  return from <= whole.from && to >= whole.to;
}

/** The view of a part of the axis, with a little room on both sides. */
export function zoomedTo({ from, to }: AxisView, limits: AxisLimits): AxisView {
  const margin = (to - from) / 20;
  return clampAxisView({ from: from - margin, to: to + margin }, limits);
}

/** The size of the steps between the marks of an axis: 1, 2 or 5 times a power of ten, at least `leastPx` apart. */
export function tickStep({ from, to }: AxisView, width: number, leastPx: number): number {
  const size = ((to - from) * leastPx) / width;
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= size) ?? 10 * power;
}
