/**
 * Opens and saves traces for programs that import `midtoken/trace`. The codec (26 KB compressed) is loaded at the first call, so
 * that an app that may never open a trace does not load it at its start.
 */
import { importPart } from "../../base/import-part.ts";
import type { OpenedTrace } from "../codec/codec.ts";
import type { Trace } from "../format/format.ts";
import type { LeftOut } from "../format/left-out.ts";
import { fragmentKind } from "./fragment-kind.ts";
import type { Permalink } from "./permalink.ts";
import type { LinkParts } from "./project.ts";

const codec = "The trace reader";
const links = () => importPart(codec, () => import("./permalink.ts"), "decodePermalink");
const files = () => importPart(codec, () => import("../codec/codec.ts"), "decodeTraceFile");
const parser = () => importPart(codec, () => import("../parse/parse.ts"), "parseTrace");

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
 * would be too long.
 */
export async function encodePermalink(
  trace: Trace,
  parts: Partial<LinkParts> = {},
  notes: readonly LeftOut[] = [],
): Promise<Permalink> {
  return (await links()).encodePermalink(trace, parts, notes);
}

/**
 * Checks and rebuilds a trace that came as JSON: every field, every count, every reference. Rejects with a TraceError that names
 * the path of the wrong value, and with a TraceVersionError for a newer version.
 */
export async function parseTrace(value: unknown): Promise<Trace> {
  return (await parser()).parseTrace(value);
}
