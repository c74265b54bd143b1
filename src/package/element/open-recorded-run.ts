/**
 * Opens an untrusted record for a timeline, in short slices, so that the page stays responsive. Loaded when a record is
 * opened, because a live request does not need this code.
 */

import { runInSlices } from "../../core/base/in-slices.ts";
import { redactInvalidAddress } from "../../core/base/invalid-address.ts";
import { forEachResumable, scaleProgress, type WaitingWork } from "../../core/base/resumable-work.ts";
import { describeValue } from "../../core/base/show.ts";
import {
  checkRunFileSize,
  fileHeadLength,
  traceFileIn,
} from "../../core/trace/file/export-formats/export-format.ts";
import { fragmentKind } from "../../core/trace/file/fragment-kind.ts";
import { startOpeningLink } from "../../core/trace/file/opening-link.ts";
import {
  createGrowingModel,
  startOpeningFile,
  type TraceOpening,
  traceOpeningOf,
} from "../../core/trace/file/opening-model.ts";
import { createRedrawThrottle } from "../../core/trace/file/opening-pace.ts";
import type { Trace } from "../../core/trace/format/format.ts";
import { workOfRecord } from "../../core/trace/format/record-work.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { checkingRecords } from "../../core/trace/parse/parse-records.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { fetchTraceFile } from "./fetch-trace-file.ts";
import { TimelineError } from "./timeline-error.ts";
import type { TimelineSource, TraceFile } from "./timeline-source.ts";

export type RecordedRunSource = Exclude<TimelineSource, { type: "request" }>;

export interface OpenRunOptions {
  readonly signal: AbortSignal;
  /** The base of relative addresses. */
  readonly base: string;
  /** `share`: the share that has been fetched or read, 0 to 1. `model`: sometimes a valid beginning of the run, which grows in place. */
  readonly onProgress: (share: number, model: TraceModel | null) => void;
}

/**
 * Returns the complete run.
 * @throws TraceError if the record is refused, TimelineError if the address does not lead to a record, and the signal's
 * reason.
 */
export async function openRecordedRun(
  source: RecordedRunSource,
  options: OpenRunOptions,
): Promise<TraceModel> {
  const { signal, onProgress } = options;
  const opening = await openingOf(source, options);
  signal.throwIfAborted();
  const isWorthShowing = createRedrawThrottle();
  try {
    return await runInSlices(opening.steps, {
      signal,
      onProgress(share) {
        const { model } = opening;
        onProgress(share, model && isWorthShowing(model, performance.now()) ? model : null);
      },
    });
  } catch (cause) {
    opening.release();
    throw cause;
  }
}

async function openingOf(source: RecordedRunSource, options: OpenRunOptions): Promise<TraceOpening> {
  switch (source.type) {
    case "trace":
      return openingTrace(source.trace);
    case "file":
      return startOpeningFile(traceFileIn(await bytesOf(source.file)));
    case "address": {
      const address = parsedAddress(source.address, options.base);
      const kind = fragmentKind(address.hash);
      if (kind === "t") return startOpeningLink(address.hash);
      if (kind === "s") {
        throw new TimelineError(
          "The address holds a setup (prompt, mods and settings) and no run. Open the address on Midtoken’s page and run the setup there.",
        );
      }
      const { signal, onProgress } = options;
      const bytes = await fetchTraceFile(address, { signal, onShare: (share) => onProgress(share, null) });
      return startOpeningFile(traceFileIn(bytes));
    }
  }
}

function parsedAddress(address: string, base: string): URL {
  try {
    return new URL(address, base);
  } catch (cause) {
    throw new TimelineError(
      `“${showInvisibleCharacters(redactInvalidAddress(address).slice(0, 200))}” is not an address. Give the address of a .trace file, or a permalink.`,
      { cause },
    );
  }
}

async function bytesOf(file: TraceFile): Promise<Uint8Array<ArrayBuffer>> {
  if (file instanceof Blob) {
    checkRunFileSize(new Uint8Array(await file.slice(0, fileHeadLength).arrayBuffer()), file.size);
    return new Uint8Array(await file.arrayBuffer());
  }
  const isView = ArrayBuffer.isView(file);
  if (!isView && !(file instanceof ArrayBuffer)) {
    throw new TimelineError(
      `“file” is ${describeValue(typeof file === "string" ? redactInvalidAddress(file) : file)}: give a File, a Blob, an ArrayBuffer or a Uint8Array with the bytes of a .trace file.`,
    );
  }
  // A copy, because the caller may change the buffer while it is read.
  const bytes = isView ? new Uint8Array(file) : new Uint8Array(file.slice(0));
  checkRunFileSize(bytes.subarray(0, fileHeadLength), bytes.length);
  return bytes;
}

function openingTrace(trace: Trace): TraceOpening {
  const growing = createGrowingModel();
  function* steps(): WaitingWork<TraceModel> {
    const { records } = yield* scaleProgress(checkingRecords(trace, false), 0, 0.7);
    growing.begin([]);
    yield* scaleProgress(
      forEachResumable(records, (record) => growing.take(record), workOfRecord),
      0.7,
      1,
    );
    return growing.whole();
  }
  return traceOpeningOf(growing, steps());
}
