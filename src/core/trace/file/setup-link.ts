/** A link with the request of a run (model, prompt, mods, settings), without its output. */
import { type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import { encodingRecords, tooLargeToOpenMessage } from "../codec/encoding-records.ts";
import { mixingDecoder } from "../codec/mixing-coder.ts";
import { mixingEncoder } from "../codec/mixing-encoder.ts";
import { readingTrace } from "../codec/reading-trace.ts";
import { createTraceCollector } from "../codec/trace-sink.ts";
import { TRACE_VERSION } from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { linkUnpackLimit, traceLimits } from "../format/limits.ts";
import { ownMods } from "../format/request-mods.ts";
import { TraceError } from "../format/trace-error.ts";
import { checkingRecords } from "../parse/parse-records.ts";
import { bytesOfFragment, fragmentOf } from "./fragment.ts";

/** Removes the fields that belong to one run and not to its setup. */
function setupOf({ maker: _, ...request }: RequestRecord): RequestRecord {
  return {
    ...request,
    requestId: "setup",
    createdAt: 0,
    model: { ...request.model, device: "wasm", adapter: "" },
    mods: ownMods(request),
    branch: null,
  };
}

/** In steps: the fragment, with its `#`. @throws TraceError if such a link would not open again. */
export function* encodingSetup(request: RequestRecord): ResumableWork<string> {
  const setup = { version: TRACE_VERSION, records: [setupOf(request)] };
  const { version, records } = yield* scaleProgress(checkingRecords(setup, true), 0, 0.2);
  const { bytes, unpacked, memory } = yield* scaleProgress(
    encodingRecords({ trace: { version, records }, notes: [] }, mixingEncoder),
    0.2,
    1,
  );
  const fragment = fragmentOf("s", bytes);
  if (fragment.length > traceLimits.fragmentLength) {
    throw new TraceError(
      `The link would have ${fragment.length} characters; the limit is ${traceLimits.fragmentLength}. Save the run as a file instead.`,
    );
  }
  if (unpacked > linkUnpackLimit(fragment.length))
    throw new TraceError(
      `Unpacked, the link would have ${unpacked} bytes and values; the limit is ${linkUnpackLimit(fragment.length)}. Save the run as a file instead.`,
    );
  if (memory > traceLimits.memory) throw new TraceError(tooLargeToOpenMessage("link", memory));
  return fragment;
}

/** In steps: the setup in a fragment. @throws TraceError, and no other error, for any text that is not a valid setup link. */
export function* decodingSetup(fragment: string): ResumableWork<RequestRecord> {
  const budget = { left: linkUnpackLimit(fragment.length) };
  const collected = createTraceCollector();
  yield* readingTrace({ bytes: bytesOfFragment(fragment, "s"), mixing: mixingDecoder }, budget, collected);
  const [request, ...others] = collected.opened().trace.records;
  if (request?.type !== "request") throw new TraceError("The link is damaged: it contains no setup.");
  if (others.length > 0)
    throw new TraceError(
      "The link is marked as a setup but contains a whole run. To open the run, change #s1 in the link to #t1.",
    );
  return setupOf(request);
}
