/** Encodes a trace as the fragment of an address and decodes it. A link holds a projected trace (see `project.ts`). */
import { type ResumableWork, runToEnd, scaleProgress } from "../../base/resumable-work.ts";
import type { UnpackBudget } from "../codec/column-reader.ts";
import { encodingRecords, tooLargeToOpenMessage } from "../codec/encoding-records.ts";
import { mixingDecoder } from "../codec/mixing-coder.ts";
import { mixingEncoder } from "../codec/mixing-encoder.ts";
import { readingTrace } from "../codec/reading-trace.ts";
import { createTraceCollector, type OpenedTrace } from "../codec/trace-sink.ts";
import type { SectionSize } from "../codec/writing-container.ts";
import type { Trace } from "../format/format.ts";
import { type LeftOut, leftOutKinds } from "../format/left-out.ts";
import { linkUnpackLimit, traceLimits } from "../format/limits.ts";
import { TraceError } from "../format/trace-error.ts";
import { checkingRecords } from "../parse/parse-records.ts";
import { bytesOfFragment, fragmentOf } from "./fragment.ts";
import { defaultParts, type LinkParts, leftOutAlways, leftOutOf, reducingToLinkParts } from "./project.ts";

export interface Permalink {
  /** The fragment, with its `#`. */
  readonly fragment: string;
  /** The cost of each part, largest first. */
  readonly sections: readonly (SectionSize & { readonly characters: number })[];
  readonly notes: readonly LeftOut[];
}

/** The name of a part of a link, in the sizes that the share dialog shows. */
export type LinkSection = SectionSize["name"];

/**
 * Encodes the fragment of an address that shows the trace without model, tokenizer or mod. `alreadyLeftOut`: the notes of a trace
 * that came from a link itself.
 * @throws TraceError if the trace is invalid or the link would be too long: leave parts out, or save a `.trace` file.
 */
export function encodePermalink(
  trace: Trace,
  parts: Partial<LinkParts> = {},
  alreadyLeftOut: readonly LeftOut[] = [],
): Permalink {
  return runToEnd(encodingPermalink(trace, parts, alreadyLeftOut));
}

/** Like `encodePermalink`, in steps. */
export function* encodingPermalink(
  trace: Trace,
  parts: Partial<LinkParts> = {},
  alreadyLeftOut: readonly LeftOut[] = [],
): ResumableWork<Permalink> {
  const chosen = { ...defaultParts, ...parts };
  const leftOut = new Set([...alreadyLeftOut, ...leftOutOf(chosen), ...leftOutAlways(trace)]);
  const notes = leftOutKinds.filter((kind) => leftOut.has(kind));
  const { version, records } = yield* scaleProgress(checkingRecords(trace, true), 0, 0.1);
  const projected = yield* scaleProgress(reducingToLinkParts({ version, records }, chosen), 0.1, 0.2);
  const { bytes, sizes, unpacked, memory } = yield* scaleProgress(
    encodingRecords({ trace: projected, notes }, mixingEncoder),
    0.2,
    1,
  );
  const fragment = fragmentOf("t", bytes);
  if (fragment.length > traceLimits.fragmentLength) {
    throw new TraceError(
      `The link would have ${fragment.length} characters; the limit is ${traceLimits.fragmentLength}. Include less in the link, or save the trace as a file.`,
    );
  }
  if (unpacked > linkUnpackLimit(fragment.length)) {
    throw new TraceError(
      `Unpacked, the link would have ${unpacked} bytes and values; the limit is ${linkUnpackLimit(fragment.length)}. Include less in the link, or save the trace as a file.`,
    );
  }
  if (memory > traceLimits.memory) throw new TraceError(tooLargeToOpenMessage("link", memory));
  const sections = sizes
    .map((size) => ({ ...size, characters: Math.round((size.bytes * 4) / 3) }))
    .sort((one, other) => other.bytes - one.bytes);
  return { fragment, sections, notes };
}

/**
 * The trace in a fragment, with or without its `#`.
 * @throws TraceError, and no other error, for any text that is not a valid link.
 */
export function decodePermalink(fragment: string, budget?: UnpackBudget): OpenedTrace {
  return runToEnd(decodingPermalink(fragment, budget));
}

/** Like `decodePermalink`, in steps. */
export function* decodingPermalink(
  fragment: string,
  budget: UnpackBudget = { left: linkUnpackLimit(fragment.length) },
): ResumableWork<OpenedTrace> {
  const collected = createTraceCollector();
  yield* readingTrace({ bytes: bytesOfFragment(fragment, "t"), mixing: mixingDecoder }, budget, collected);
  return collected.opened();
}

/** The error for a text that is no permalink. In this file because the entry of `midtoken/trace` loads this file late. */
export function notALink(text: string): TraceError {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return new TraceError(
    `${shown} is not a permalink: the part after the # should begin with t1. To open a .trace file, fetch the file and pass its bytes to openTrace.`,
  );
}
