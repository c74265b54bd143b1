/** The kinds of file that a run is exported as: a `.trace` file, a picture, a page. */

import { checkFileSize } from "../../codec/reading-trace.ts";
import { traceLimits } from "../../format/limits.ts";
import { TraceError } from "../../format/trace-error.ts";
import { isHtml, traceInHtml } from "./html.ts";
import { isPng, traceInPng } from "./png.ts";

/** A kind of file that holds a run. */
export interface RunFileFormat {
  /** The end of the file's name. */
  readonly ending: string;
  /** Whether a file is of this kind, by its first bytes. */
  readonly fits: (head: Uint8Array) => boolean;
  /** Returns the bytes of the contained trace file. @throws TraceError if the file has none. */
  readonly traceIn: (bytes: Uint8Array) => Uint8Array;
}

/** Every kind of file that can be opened besides a trace file itself. */
export const runFileFormats: readonly RunFileFormat[] = [
  { ending: ".png", fits: isPng, traceIn: traceInPng },
  { ending: ".html", fits: isHtml, traceIn: traceInHtml },
];

/**
 * The most bytes that a file may have besides the run: the picture, or the page's script and style. A page holds the run in
 * base64url, which takes four thirds of its bytes.
 */
const aroundRun = 16 * 1_048_576;
const largestFile = Math.ceil((traceLimits.fileBytes * 4) / 3) + aroundRun;

/** The number of first bytes of a file that `checkRunFileSize` looks at. */
export const fileHeadLength = 64;

/**
 * Checks a file by its first bytes and its size, before all of it is read.
 * @throws TraceError if the file has more bytes than Midtoken opens.
 */
export function checkRunFileSize(head: Uint8Array, size: number): void {
  if (!runFileFormats.some(({ fits }) => fits(head))) checkFileSize(size);
  else if (size > largestFile)
    throw new TraceError(`The file has ${size} bytes; the limit is ${largestFile}.`);
}

/**
 * Returns the bytes of the trace file in a file of any kind. Only the run in a picture or page is read.
 * @throws TraceError for a page or picture without a run.
 */
export function traceFileIn(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const exportFormat = runFileFormats.find(({ fits }) => fits(bytes));
  return exportFormat ? Uint8Array.from(exportFormat.traceIn(bytes)) : bytes;
}
