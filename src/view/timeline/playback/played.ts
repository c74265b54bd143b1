/** A run as it was at one place of it. */
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";

/** Keeps what was played so far: going on takes the records between, going back begins anew. */
export function createPlayed(whole: TraceModel): (records: number) => TraceModel {
  let model = createTraceModel(whole.leftOut);
  return (records) => {
    if (records < model.records.length) model = createTraceModel(whole.leftOut);
    if (records > model.records.length) model.append(whole.records.slice(model.records.length, records));
    return model;
  };
}
