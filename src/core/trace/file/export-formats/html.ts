/**
 * Writes a `.trace` file and its viewer into one page that opens from a disk and loads nothing. The page's content security
 * policy allows only its own script and style, by their hashes. The trace is text in base64url, so no content of a run can become
 * markup.
 */
import type { ResumableWork } from "../../../base/resumable-work.ts";
import { fromBase64Url, joined, toBase64Url } from "../../codec/bytes.ts";
import { traceLimits } from "../../format/limits.ts";
import { TraceError } from "../../format/trace-error.ts";

/**
 * The viewer of a run: one script and one style sheet, with their hashes in the form of a content security policy
 * (`sha256-…`).
 */
export interface InlineViewer {
  readonly script: string;
  readonly scriptHash: string;
  readonly style: string;
  readonly styleHash: string;
}

/** Id of the element that holds the run. */
export const traceElementId = "midtoken-trace";
const opening = `<script type="text/plain" id="${traceElementId}">`;
const closing = "</script>";
/** The run begins within this many first bytes of the page; the reader looks no further. */
const longestHead = 8_192;
/** Bytes that are converted to text in one step; three bytes become four characters. */
const piece = 196_608;

/** In steps: the bytes of the page. @param title any text; it is escaped. */
export function* htmlWithTrace(
  file: Uint8Array,
  viewer: InlineViewer,
  title: string,
): ResumableWork<Uint8Array<ArrayBuffer>> {
  const policy = `default-src 'none'; script-src '${viewer.scriptHash}'; style-src '${viewer.styleHash}'; base-uri 'none'; form-action 'none'`;
  const encoder = new TextEncoder();
  const parts = [
    encoder.encode(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
${opening}`),
  ];
  for (let start = 0; start < file.length; start += piece) {
    parts.push(encoder.encode(toBase64Url(file.subarray(start, start + piece))));
    yield start / file.length;
  }
  parts.push(
    encoder.encode(`${closing}
<style>${viewer.style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This file contains a run that Midtoken recorded. Turn on JavaScript to see the run. The file makes no network requests.</noscript>
<script>${viewer.script}</script>
</body>
</html>
`),
  );
  return joined(parts);
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? "");
}

/** Whether a file begins like a page. */
export function isHtml(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype html|html)/i.test(latin(bytes.subarray(0, 64)).replace(/^ï»¿/, ""));
}

const latin = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

/**
 * The `.trace` file inside a page, not yet decoded. Only the text of the run's element is read.
 * @throws TraceError for a page without a run or with a damaged run.
 */
export function traceInHtml(html: Uint8Array): Uint8Array {
  const head = latin(html.subarray(0, longestHead));
  const at = head.indexOf(opening);
  if (at < 0) {
    throw new TraceError(
      "This page contains no run. Use Share in Midtoken to save a page with its run (.html); the browser’s own “Save page” may damage the run.",
    );
  }
  const start = at + opening.length;
  const end = html.indexOf("<".charCodeAt(0), start);
  if (end < 0)
    throw new TraceError("The page is damaged: it ends in the middle of its run. Download the page again.");
  const text = html.subarray(start, end);
  if (text.length > Math.ceil((traceLimits.fileBytes * 4) / 3)) {
    throw new TraceError(
      `The page’s run has ${text.length} characters; the limit is ${Math.ceil((traceLimits.fileBytes * 4) / 3)}.`,
    );
  }
  return traceInElementText(latin(text).trim());
}

/** The `.trace` file in the text of the page's element. @throws TraceError for other text. */
export function traceInElementText(text: string): Uint8Array {
  try {
    return fromBase64Url(text);
  } catch (cause) {
    if (!(cause instanceof TraceError)) throw cause;
    throw new TraceError("The page is damaged: its run cannot be read. Download the page again.", {
      cause,
    });
  }
}
