/**
 * `midtoken/trace`: recorded requests without the engine. Importing it loads the trace model, which every view reads, and the
 * stream of the answer's text. Code that reads, checks and writes traces is loaded at the first call.
 */
export type { OpenedTrace } from "./codec/codec.ts";
export { type FragmentKind, fragmentKind } from "./file/fragment-kind.ts";
export type { Permalink } from "./file/permalink.ts";
export type { LinkParts } from "./file/project.ts";
export { encodePermalink, encodeTraceFile, openTrace, parseTrace } from "./file/trace-codec.ts";
export type {
  AddedRecord,
  AdjustedRecord,
  BacktrackedRecord,
  FinishedRecord,
  ForwardPassRecord,
  ModCallRecord,
  PrefilledRecord,
  SampledRecord,
  ScoredRecord,
  Trace,
  TraceAction,
  TraceAlternative,
  TraceDistribution,
  TraceEventType,
  TraceFault,
  TraceRecord,
  TraceSteering,
  TraceToken,
  TraceTokenSource,
  TraceTopK,
  TraceVector,
} from "./format/format.ts";
export type {
  TraceHidden,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
  TraceLensToken,
} from "./format/format-layers.ts";
export type { RequestRecord } from "./format/format-request.ts";
export type { LeftOut } from "./format/left-out.ts";
export { TraceError, TraceVersionError } from "./format/trace-error.ts";
export { liveText } from "./model/live-text.ts";
export { createTraceModel, type TraceModel } from "./model/trace-model.ts";
export { TextStream, TextTakenBackError } from "./text/text-stream.ts";
export type { StreamedToken, TextStreamEvent, TextStreamOptions } from "./text/text-stream-events.ts";
