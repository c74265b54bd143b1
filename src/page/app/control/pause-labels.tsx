/** Says in one sentence why and where a run is paused. */

import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { Pause } from "../../../runtime/session/shared/breakpoint.ts";
import { describeLastRecord } from "../../../view/timeline/playback/record-labels.ts";
import { formatCount } from "../../../view/ui/format.ts";
import { breakpointRuleLabel } from "./breakpoint-labels.ts";

export function PauseLabels({ pause, trace }: { readonly pause: Pause; readonly trace: TraceModel }) {
  return pauseSentence(pause, trace);
}

export function pauseSentence({ why, records, isBetweenSteps }: Pause, trace: TraceModel): string {
  const last = trace.records[records - 1];
  const next = `token ${formatCount(trace.outputTokens.length + 1)}`;
  switch (why.type) {
    case "breakpoints": {
      const met = why.met.map(breakpointRuleLabel).join("; ");
      return `Paused at a breakpoint: ${met}. ${sentence(describeLastRecord(trace, last))}`;
    }
    case "event":
      return `Paused. ${sentence(describeLastRecord(trace, last))}`;
    case "asked":
    case "token":
      return isBetweenSteps ? `Paused before ${next}.` : "Paused while the model reads the prompt.";
  }
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
