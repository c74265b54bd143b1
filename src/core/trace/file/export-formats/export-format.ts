/** The ways in which a run comes as a file: by itself, inside a picture, inside a page. */

import { checkFileSize } from "../../codec/reading-trace.ts";
import { traceLimits } from "../../format/limits.ts";
import { TraceError } from "../../format/trace-error.ts";
import { isHtml, traceInHtml } from "./html.ts";
import { isPng, traceInPng } from "./png.ts";

/** A kind of file that holds a run. */
export interface ExportFormat {
  /** The end of the file's name. */
  readonly ending: string;
  /** Whether a file is of this kind, by its first bytes. */
  readonly fits: (head: Uint8Array) => boolean;
  /** The bytes of the trace file in it. @throws TraceError if there is none. */
  readonly traceIn: (bytes: Uint8Array) => Uint8Array;
}

/** Every kind of file that is opened beside a trace file itself. */
export const exportFormats: readonly ExportFormat[] = [
  { ending: ".png", fits: isPng, traceIn: traceInPng },
  { ending: ".html", fits: isHtml, traceIn: traceInHtml },
];

/** The picture, or the page's script and style, may take so many bytes beside the run, which a page holds in four thirds. */
const aroundRun = 16 * 1_048_576;
const largestCarrier = Math.ceil((traceLimits.fileBytes * 4) / 3) + aroundRun;

/** How many of a file's first bytes `checkRunFile` looks at. */
export const headOfFile = 64;

/** @throws TraceError for a file of more bytes than are opened, by its first bytes and its size. Ask before all of it is read. */
export function checkRunFile(head: Uint8Array, size: number): void {
  if (!exportFormats.some(({ fits }) => fits(head))) checkFileSize(size);
  else if (size > largestCarrier)
    throw new TraceError(`The file has ${size} bytes, and at most ${largestCarrier} are opened.`);
}

/**
 * The bytes of the trace file in a file of any kind. Nothing of a picture or a page is looked at but the run.
 * @throws TraceError for a page or a picture that holds none.
 */
export function traceFileIn(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const exportFormat = exportFormats.find(({ fits }) => fits(bytes));
  return exportFormat ? Uint8Array.from(exportFormat.traceIn(bytes)) : bytes;
}
