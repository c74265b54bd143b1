/** The name of each part of the work. */
import type { WorkPart } from "../../../core/trace/model/time-by-part.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";

export function timePartName(trace: TraceModel, part: WorkPart): string {
  switch (part) {
    case "prompt":
      return "Reading the prompt";
    case "passes":
      return "Forward passes";
    case "sampling":
      return "Sampling";
    default:
      return modName(trace, part.mod);
  }
}
