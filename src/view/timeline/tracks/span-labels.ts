/**
 * The labels of a block of the tracks: inside the block, and in the tip under the pointer. Texts are from strangers: show them
 * as text.
 */
import { countWithNoun, formatCount, formatDuration } from "../../../core/base/number-text.ts";
import { modCallSummary } from "../../../core/trace/model/call-summary.ts";
import { timeSpansOf } from "../../../core/trace/model/time-spans.ts";
import { runDurationUs } from "../../../core/trace/model/token-times.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { modName, quote, recordOf } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { type Lane, timeSpansOfLane } from "./track-lanes.ts";

/** A few words inside the block; "" if its shape says enough. */
export function describeBlock(trace: TraceModel, lane: Lane, item: number): string {
  if (lane.kind === "output") return tokenText(trace, item);
  if (lane.kind === "sampling") return formatSpanDuration(trace, lane, item) ?? "";
  const record = timeSpansOfLane(trace, lane)?.record[item];
  const pass = recordOf(trace, record, "forwardPass");
  const took = formatSpanDuration(trace, lane, item);
  if (pass)
    return [
      isPrompt(trace, item) ? "prompt" : null,
      pass.tokenCount > 1 ? countWithNoun(pass.tokenCount, "token") : null,
      took,
    ]
      .filter(Boolean)
      .join(", ");
  const call = recordOf(trace, record, "modCall");
  if (!call) return "";
  return call.action.type === "noop" && !call.fault
    ? (took ?? "")
    : showInvisibleCharacters(modCallSummary(call));
}

function tokenText({ tokens }: TraceModel, index: number): string {
  const text = tokens.text[index] ?? "";
  return tokens.kind[index] === "end" && text === ""
    ? "¶"
    : showInvisibleCharacters(text.trim() === "" ? text.replaceAll(" ", "␣") : text.trim());
}

export interface SpanDescription {
  readonly what: string;
  /** Duration and beginning; null if the trace has no times. */
  readonly took: string | null;
  readonly at: string | null;
}

/** @param count number of spans or tokens that the block represents. */
export function describeSpan(trace: TraceModel, lane: Lane, item: number, count = 1): SpanDescription {
  const also = count > 1 ? `, and ${formatCount(count - 1)} more here` : "";
  const table = timeSpansOfLane(trace, lane);
  if (!table)
    return { what: showInvisibleCharacters(describeToken(trace, item), 300) + also, took: null, at: null };
  const start = table.startUs[item] ?? 0;
  const timed = !trace.leftOut.has("timings");
  return {
    what: whatIsDone(trace, lane, item) + also,
    took: formatSpanDuration(trace, lane, item),
    at: timed ? formatMoment(trace, start) : null,
  };
}

function whatIsDone(trace: TraceModel, lane: Lane, item: number): string {
  const table = timeSpansOfLane(trace, lane);
  const forToken = `for token ${formatCount((table?.token[item] ?? 0) + 1)}`;
  const record = trace.records[table?.record[item] ?? -1];
  switch (record?.type) {
    case "forwardPass":
      return isPrompt(trace, item)
        ? `Prompt: ${countWithNoun(record.tokenCount, "token")} read`
        : `Forward pass ${forToken}: ${countWithNoun(record.tokenCount, "token")} read`;
    case "sampled":
      return `Sampling ${forToken}: ${quote(record.text)}`;
    case "modCall": {
      const did =
        record.fault || record.action.type !== "noop"
          ? showInvisibleCharacters(modCallSummary(record), 200)
          : "no reply";
      return `${modName(trace, record.mod)} in ${record.event}(): ${did}`;
    }
    default:
      return lane.name;
  }
}

function isPrompt(trace: TraceModel, span: number): boolean {
  return timeSpansOf(trace).passes.token[span] === 0;
}

function formatSpanDuration(trace: TraceModel, lane: Lane, item: number): string | null {
  const table = timeSpansOfLane(trace, lane);
  if (!table || trace.leftOut.has("timings")) return null;
  return formatDuration((table.endUs[item] ?? 0) - (table.startUs[item] ?? 0));
}

/** A time, as exact as the length of the run requires. */
function formatMoment(trace: TraceModel, us: number): string {
  return runDurationUs(trace) >= 10e6 ? `${(us / 1e6).toFixed(3)} s` : `${(us / 1e3).toFixed(2)} ms`;
}
