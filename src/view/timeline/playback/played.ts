/** Shows a run as it was at an earlier place. */
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";

/**
 * Caches the trace model of the last place: moving forward adds the records in between, moving back starts again from the
 * beginning.
 */
export function createTracePrefixes(whole: TraceModel): (records: number) => TraceModel {
  let model = createTraceModel(whole.leftOut);
  return (records) => {
    if (records < model.records.length) model = createTraceModel(whole.leftOut);
    if (records > model.records.length) model.append(whole.records.slice(model.records.length, records));
    return model;
  };
}
