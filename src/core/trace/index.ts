/**
 * `midtoken/trace`: recorded requests without the engine. The model behind every view and the answer as a stream of text come
 * with the import; what reads, checks and writes traces is fetched at the first call.
 */
export type { OpenedTrace } from "./codec.ts";
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
  TraceLikeliest,
  TraceRecord,
  TraceSteering,
  TraceToken,
  TraceTokenSource,
  TraceVector,
} from "./format.ts";
export type {
  TraceHidden,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
  TraceLensToken,
} from "./format-layers.ts";
export type { RequestRecord } from "./format-request.ts";
export { type FragmentKind, fragmentKind } from "./fragment-kind.ts";
export type { LeftOut } from "./left-out.ts";
export { liveText } from "./live-text.ts";
export type { Permalink } from "./permalink.ts";
export type { LinkParts } from "./project.ts";
export { TextStream, TextTakenBackError } from "./text-stream.ts";
export type { StreamedToken, TextStreamEvent, TextStreamOptions } from "./text-stream-events.ts";
export { encodePermalink, encodeTraceFile, openTrace, parseTrace } from "./trace-codec.ts";
export { TraceError, TraceVersionError } from "./trace-error.ts";
export { createTraceModel, type TraceModel } from "./trace-model.ts";
