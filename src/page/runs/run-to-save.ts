/** Makes the saved form of a run. */
import { type ResumableWork, runToEnd } from "../../core/base/resumable-work.ts";
import { encodingRecordsFile } from "../../core/trace/codec/encoding-records.ts";
import { traceOf } from "../../core/trace/format/trace-of.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import type { RunToSave } from "./repository.ts";
import { type RunPageMetadata, runMetadataOf, runTextsOf } from "./run-metadata.ts";

/** @throws TraceError if the trace is above a limit, so that it could not be opened again. */
export function runToSave(trace: TraceModel, origin: RunPageMetadata): RunToSave {
  return runToEnd(runToSaveInSteps(trace, origin));
}

/** Like `runToSave`, in steps. */
export function* runToSaveInSteps(trace: TraceModel, origin: RunPageMetadata): ResumableWork<RunToSave> {
  return runToSaveFromFile(trace, origin, yield* encodingRecordsFile(traceOf(trace), [...trace.leftOut]));
}

/** Like `runToSave`, for a run that was read from a trace file and is fully checked: the file is used as it is. */
export function runToSaveFromFile(
  trace: TraceModel,
  origin: RunPageMetadata,
  bytes: RunToSave["bytes"],
): RunToSave {
  const texts = runTextsOf(trace);
  return { metadata: runMetadataOf(trace, texts, origin, bytes.length), texts, bytes };
}
