/** How a run stands, in a few words. Pure. */
import type { ComponentType } from "react";
import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import { promptProgress } from "../../../core/trace/model/prompt-progress.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { Pause } from "../../../runtime/session/shared/breakpoint.ts";
import { formatCount } from "../../../view/ui/format.ts";
import type { RunState } from "../store/run-store.ts";

/** Says why and where a run is paused. */
export type PauseLabelsComponent = ComponentType<{ readonly pause: Pause; readonly trace: TraceModel }>;

export type RunStatusFields = Pick<
  RunState,
  "status" | "trace" | "interrupted" | "compiling" | "pausedAt" | "opening" | "caughtUp" | "failure"
>;

export function statusSentence(run: RunStatusFields): string {
  const { status, trace, interrupted, compiling, pausedAt, caughtUp } = run;
  switch (status) {
    case "empty":
      return "";
    case "starting":
      return compiling === null ? "Starting …" : `Compiling the mod ${compiling} …`;
    case "running":
      if (run.opening) return "Preparing the model’s layers …";
      if (trace.tokens.text.length > 0) return "Writing …";
      return caughtUp === null
        ? readingSentence(trace)
        : `Replaying earlier events to the mods: ${Math.round(caughtUp * 100)}%`;
    case "reading":
      return "Reading the run …";
    case "paused":
      return pausedAt ? "Paused." : "Pausing …";
    case "finished":
    case "failed":
      if (interrupted) return "Interrupted.";
      return run.failure === null ? endStatus(trace.finished?.reason) : "Ended with an error.";
  }
}

/** Only that the run ended: why, and what to do next, stands below the text. */
function endStatus(reason: FinishedRecord["reason"] | undefined): string {
  if (reason === undefined) return "";
  if (reason === "error") return "Ended with an error.";
  return reason === "cancelled" ? "Stopped." : "Ended.";
}

function readingSentence(trace: TraceModel): string {
  const progress = promptProgress(trace);
  if (!progress || progress.read === 0) return "Reading the prompt …";
  return `Reading the prompt: ${formatCount(progress.read)} of ${formatCount(progress.total)} tokens`;
}
