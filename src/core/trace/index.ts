/**
 * `midtoken/trace`: recorded requests without the engine. Importing it loads the trace model, which every view reads, and the
 * stream of the answer's text. The codec (26 KB compressed) is loaded at the first call, so that an app that may never open a trace
 * does not load it at its start.
 */
import { importProgramPart } from "../base/import-part.ts";
import type { OpenedTrace } from "./codec/trace-sink.ts";
import { fragmentKind } from "./file/fragment-kind.ts";
import type { Permalink } from "./file/permalink.ts";
import type { LinkParts } from "./file/project.ts";
import type { Trace } from "./format/format.ts";
import type { LeftOut } from "./format/left-out.ts";

export type { OpenedTrace } from "./codec/trace-sink.ts";
export { type FragmentKind, fragmentKind } from "./file/fragment-kind.ts";
export type { Permalink } from "./file/permalink.ts";
export type { LinkParts } from "./file/project.ts";
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
  TraceDistribution,
  TraceEventType,
  TraceFault,
  TraceRecord,
  TraceSteering,
  TraceToken,
  TraceTokenSource,
  TraceTopK,
  TraceTopToken,
  TraceVector,
} from "./format/format.ts";
export type {
  TraceHiddenStates,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
  TraceLensToken,
} from "./format/format-layers.ts";
export type { RequestRecord } from "./format/format-request.ts";
export type { LeftOut } from "./format/left-out.ts";
export { TraceError, TraceVersionError } from "./format/trace-error.ts";
export { outputTextOf } from "./model/output-text.ts";
export { createTraceModel, type TraceModel } from "./model/trace-model.ts";
export { TextStream, TextTakenBackError } from "./text/text-stream.ts";
export type { StreamedToken, TextStreamEvent, TextStreamOptions } from "./text/text-stream-events.ts";

const codec = "The trace reader";
const links = () => importProgramPart(codec, () => import("./file/permalink.ts"), "decodePermalink");
const checks = () => importProgramPart(codec, () => import("./file/check-link-parts.ts"), "checkLinkParts");
const files = () => importProgramPart(codec, () => import("./codec/codec.ts"), "decodeTraceFile");
const parser = () => importProgramPart(codec, () => import("./parse/parse.ts"), "parseTrace");

/**
 * Opens a recorded request: the bytes of a `.trace` file, or a permalink (all of it, or only its part from the `#` on). Runs
 * nothing and loads nothing but the codec. `notes` lists what a link lacks. The source is untrusted. Rejects with a TraceError
 * that says what is wrong, and with a TraceVersionError if a newer Midtoken recorded the trace.
 */
export async function openTrace(source: Uint8Array | ArrayBuffer | Blob | string): Promise<OpenedTrace> {
  if (typeof source === "string") {
    const fragment = source.slice(Math.max(0, source.indexOf("#")));
    if (fragmentKind(fragment) === null) throw (await links()).notALink(source);
    return (await links()).decodePermalink(fragment);
  }
  const bytes = source instanceof Blob ? await source.arrayBuffer() : source;
  return (await files()).decodeTraceFile(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
}

/**
 * The bytes of a `.trace` file: everything, exactly. `notes`: what the trace lacks, if it came from a link. Rejects with a
 * TraceError if the trace is invalid or so large that it could not be opened again.
 */
export async function encodeTraceFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  return (await files()).encodeTraceFile(trace, notes);
}

/**
 * The fragment of an address that shows the trace without model, tokenizer or mod. `parts` overrides which parts the link holds.
 * `notes`: what the trace lacks, if it came from a link itself. Rejects with a TraceError if the trace is invalid or the link
 * would be too long, and with a TypeError for a part that does not exist.
 */
export async function encodePermalink(
  trace: Trace,
  parts: Partial<LinkParts> = {},
  notes: readonly LeftOut[] = [],
): Promise<Permalink> {
  (await checks()).checkLinkParts(parts);
  return (await links()).encodePermalink(trace, parts, notes);
}

/**
 * Checks and rebuilds a trace that came as JSON: every field, every count, every reference. Rejects with a TraceError that names
 * the path of the wrong value, and with a TraceVersionError for a newer version.
 */
export async function parseTrace(value: unknown): Promise<Trace> {
  return (await parser()).parseTrace(value);
}
