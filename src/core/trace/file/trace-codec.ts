/**
 * Traces from and to what carries them, for whoever imports `midtoken/trace`: the codec is fetched at the first call, 26 KB
 * compressed, so that an app that only may open a trace does not carry it from its start.
 */
import { importPart } from "../../base/import-part.ts";
import type { OpenedTrace } from "../codec/codec.ts";
import type { Trace } from "../format/format.ts";
import type { LeftOut } from "../format/left-out.ts";
import { fragmentKind } from "./fragment-kind.ts";
import type { Permalink } from "./permalink.ts";
import type { LinkParts } from "./project.ts";

const codec = "What reads and writes traces";
const links = () => importPart(codec, () => import("./permalink.ts"), "decodePermalink");
const files = () => importPart(codec, () => import("../codec/codec.ts"), "decodeTraceFile");
const parser = () => importPart(codec, () => import("../parse/parse.ts"), "parseTrace");

/**
 * Opens a recorded request: the bytes of a `.trace` file, or a permalink, whole or only its part from the `#` on. Runs nothing
 * and fetches nothing but the codec. `notes` says what a link lacks.
 * Rejects with a TraceError that says what is wrong, for bytes and texts that nobody vouches for; with a TraceVersionError when a
 * newer Midtoken recorded it.
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
 * The bytes of a `.trace` file: everything, exactly. `notes`: what the trace lacks, when it came from a link.
 * Rejects with a TraceError when the trace is not sound or so large that it could not be opened again.
 */
export async function encodeTraceFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  return (await files()).encodeTraceFile(trace, notes);
}

/**
 * The fragment of an address that shows the trace without model, tokenizer or mod. `parts`: what it holds, beside what it
 * holds unless told otherwise. `notes`: what the trace lacks, when it came from a link itself.
 * Rejects with a TraceError when the trace is not sound or the link would be too long.
 */
export async function encodePermalink(
  trace: Trace,
  parts: Partial<LinkParts> = {},
  notes: readonly LeftOut[] = [],
): Promise<Permalink> {
  return (await links()).encodePermalink(trace, parts, notes);
}

/**
 * Checks and rebuilds a trace that came as JSON: every field, every count, every reference.
 * Rejects with a TraceError naming the path of what is wrong, and with a TraceVersionError for a version from the future.
 */
export async function parseTrace(value: unknown): Promise<Trace> {
  return (await parser()).parseTrace(value);
}
