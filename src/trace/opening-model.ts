/** In steps: the model of a trace, once all of the trace was read and checked. */
import { forEachInSteps, partOf, type Steps } from "../base/steps.ts";
import type { OpenedTrace } from "./codec.ts";
import type { Trace } from "./format.ts";
import { recordWork } from "./record-work.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";

/**
 * Nothing is shown of a trace before all of it was checked: what comes last may be what it is refused for.
 * @throws what the reading throws.
 */
export function* openingModel(reading: Steps<OpenedTrace>): Steps<TraceModel> {
  const { trace, notes } = yield* partOf(reading, 0, 0.9);
  const model = createTraceModel(notes);
  yield* partOf(
    forEachInSteps(trace.records, (record) => model.append([record]), recordWork),
    0.9,
    1,
  );
  return model;
}

/** A trace from which nothing was left out. */
export function* withoutNotes(reading: Steps<Trace>): Steps<OpenedTrace> {
  return { trace: yield* reading, notes: [] };
}
