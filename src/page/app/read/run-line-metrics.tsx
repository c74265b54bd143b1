/** The figures of a run, at the end of the line below its text. */
import { memo } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { Authorship } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { metricsOf, timeHint } from "../../../view/timeline/run-metrics.ts";
import type { RunState } from "../store/run-store.ts";

interface RunLineMetricsProps {
  readonly trace: TraceModel;
  readonly authorship: Authorship;
  /** The trace grows in place: with it come the times of a run that has ended. */
  readonly status: RunState["status"];
}

/** Drawn when the words are counted anew, and not at each token that comes. */
export const RunLineMetrics = memo(function RunLineMetrics({ trace, authorship }: RunLineMetricsProps) {
  return (
    <p className="run-line-metrics" title={timeHint(trace)}>
      {metricsOf(trace, authorship)}
    </p>
  );
});
