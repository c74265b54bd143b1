/** Finds the place at which a run that ended early continues with its own mods. Pure. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { RunState } from "./run-store.ts";
import { largestMaxTokens } from "./settings-store.ts";

export interface PlaceToContinue {
  /** The record of the last forward pass: its token is chosen again, by the same draw. */
  readonly at: number;
  /** The limit of the longer run. */
  readonly maxTokens: number;
  /** Number of tokens beyond the run's own limit; null if the run ended before its limit. */
  readonly moreTokens: number | null;
}

/**
 * Null if the run is complete, failed, was recorded elsewhere, or wrote nothing. A run that ended at its limit of tokens gets
 * a higher limit of its own: the editor's limit belongs to the next run.
 */
export function placeToContinue({
  status,
  recorded,
  trace,
}: Pick<RunState, "status" | "recorded" | "trace">): PlaceToContinue | null {
  const { request } = trace;
  const isOver = status === "finished" || status === "failed";
  if (request === null || recorded || !isOver) return null;
  const at = trace.records.findLastIndex((record) => record.type === "forwardPass" && record.before !== null);
  if (at < 0) return null;
  const { maxTokens } = request;
  if (wasCut(trace)) return { at, maxTokens, moreTokens: null };
  const moreTokens = tokensBeyondLimit(trace);
  return moreTokens === null ? null : { at, maxTokens: maxTokens + moreTokens, moreTokens };
}

/** Number of tokens that a run writes further when it continues: as many as its limit. Null if it did not end at its limit of tokens, or the limit cannot be raised. */
export function tokensBeyondLimit({
  request,
  finished,
}: Pick<TraceModel, "request" | "finished">): number | null {
  const isAtLimit = finished?.reason === "length" && finished.lengthLimit === "maxTokens";
  if (request === null || !isAtLimit) return null;
  const more = Math.min(largestMaxTokens, 2 * request.maxTokens) - request.maxTokens;
  return more > 0 ? more : null;
}

/** Whether the user, the engine or the closing of the page ended the run. */
function wasCut({ finished }: TraceModel): boolean {
  return finished === null || finished.reason === "cancelled";
}
