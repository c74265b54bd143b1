/** Time, speed and seed of a run, at the end of the line below its text. The summary above the text counts the tokens. */
import { memo } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { durationAndSeedTexts, timeHint } from "../../../view/timeline/run-metrics.ts";
import type { RunState } from "../store/run-store.ts";

interface RunLineMetricsProps {
  readonly trace: TraceModel;
  /** The trace grows in place, so the status is a dependency: at the end of a run its times are known. */
  readonly status: RunState["status"];
}

/** Not drawn again at each new token. */
export const RunLineMetrics = memo(function RunLineMetrics({ trace }: RunLineMetricsProps) {
  return (
    <p className="run-line-metrics" title={timeHint(trace)}>
      {durationAndSeedTexts(trace).join(" · ")}
    </p>
  );
});
