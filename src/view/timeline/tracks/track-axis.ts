/** The two axes of the tracks: by token, with equal room for each token, and by time. Pure. */
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import { runDurationUs, timeOfToken, tokenAtTime } from "../../../core/trace/model/token-times.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { type AxisLimits, type AxisView, centredOn } from "../axis-view.ts";

/** Values of the axis are indices of tokens, or microseconds since the request began. */
export type AxisName = "tokens" | "time";

/** The shortest view: tokens, or microseconds. */
const leastTokens = 4;
const leastUs = 20;

/**
 * While a run is in progress, its axis is longer than the run so far, so that drawn parts do not move: up to `maxTokens`, or to
 * the next of 1, 2, 5, 10 … ms.
 */
export function axisLimits(trace: TraceModel, axis: AxisName, running: boolean): AxisLimits {
  if (axis === "tokens") {
    const most = running ? (trace.request?.maxTokens ?? 0) : 0;
    return { length: Math.max(trace.tokens.text.length, most, 1), least: leastTokens };
  }
  const length = Math.max(runDurationUs(trace), 1);
  return { length: running ? roundUp(length) : length, least: leastUs };
}

function roundUp(us: number): number {
  const power = 10 ** Math.floor(Math.log10(us));
  return [1, 2, 5, 10].map((times) => times * power).find((round) => round >= us) ?? us;
}

/** The part of the axis that some tokens take. */
export function axisPartOfTokens(trace: TraceModel, axis: AxisName, { first, end }: TokenRange): AxisView {
  if (axis === "tokens") return { from: first, to: end };
  return { from: timeOfToken(trace, first).fromUs, to: timeOfToken(trace, end - 1).toUs };
}

/** Moves the view so that a token is in its middle; its size stays the same. */
export function centreViewAtToken(
  trace: TraceModel,
  shown: { readonly axis: AxisName; readonly view: AxisView },
  token: number,
  running: boolean,
): AxisView {
  const { from, to } = axisPartOfTokens(trace, shown.axis, { first: token, end: token + 1 });
  return centredOn(shown.view, (from + to) / 2, axisLimits(trace, shown.axis, running));
}

/** The token at a value of the axis, or the nearest token. */
export function tokenAtValue(trace: TraceModel, axis: AxisName, value: number): number {
  const last = Math.max(0, trace.tokens.text.length - 1);
  const index = axis === "tokens" ? Math.floor(value) : tokenAtTime(trace, value);
  return Math.max(0, Math.min(last, index));
}

/** The tokens that a view of the axis shows. The first and the last token may be shown only in part. */
export function tokensIn(trace: TraceModel, axis: AxisName, { from, to }: AxisView): TokenRange {
  return { first: tokenAtValue(trace, axis, from), end: tokenAtValue(trace, axis, to) + 1 };
}

/** The text of a mark of the axis; `step` is the distance between two marks. */
export function formatTick(axis: AxisName, value: number, step: number): string {
  if (axis === "tokens") return value.toLocaleString("en-US");
  const [unit, size] = step >= 100_000 ? ["s", 1e6] : ["ms", 1e3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(value / size).toFixed(digits)} ${unit}`;
}
