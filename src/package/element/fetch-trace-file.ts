/** Fetches the bytes of a trace file: at most as many as a trace may have, and only until the caller cancels. */

import { redactInvalidAddress } from "../../core/base/invalid-address.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { redactUrlSecrets } from "../../core/base/without-secrets.ts";
import { checkRunFileSize, fileHeadLength } from "../../core/trace/file/export-formats/export-format.ts";
import { TraceError } from "../../core/trace/format/trace-error.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { TimelineError } from "./timeline-error.ts";

/** The most UTF-16 units of an address that a message shows. */
const longestAddress = 200;
const schemes = ["http:", "https:", "blob:", "data:"];

/**
 * @param onShare called with the fetched share, 0 to 1, if the server says the size
 * @throws TimelineError if the file cannot be fetched, TraceError if it is too large, and the signal's reason.
 */
export async function fetchTraceFile(
  address: URL,
  { signal, onShare }: { readonly signal: AbortSignal; readonly onShare: (share: number) => void },
): Promise<Uint8Array<ArrayBuffer>> {
  const shown = showInvisibleCharacters(redactUrlSecrets(address.href), longestAddress);
  if (address.username !== "" || address.password !== "") {
    throw new TimelineError(
      `The address ${shown} has a user name or a password, which browsers refuse to fetch. Serve the file at an address without them.`,
    );
  }
  if (!schemes.includes(address.protocol)) {
    throw new TimelineError(
      `The address ${showInvisibleCharacters(redactInvalidAddress(address.href), longestAddress)} begins with ${address.protocol}, but runs are fetched only from https:, http:, blob: and data: addresses.`,
    );
  }
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new TimelineError(unreachable(shown, address, cause), { cause });
  });
  if (!response.ok) {
    void response.body?.cancel();
    throw new TimelineError(
      `The server answered ${response.status} for ${shown}. Check the address: it should lead to a .trace file, or be a permalink with its part after the #.`,
    );
  }
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  return readBytes(response, { length, signal, onShare });
}

function unreachable(shown: string, address: URL, cause: unknown): string {
  const elsewhere = /^https?:/.test(address.protocol) && address.origin !== globalThis.location?.origin;
  const advice = elsewhere
    ? "The file's server has to allow other sites to read the file (Access-Control-Allow-Origin), and this page's content security policy has to allow requests to that server (connect-src)."
    : "Check that you are online, and that this page's content security policy allows the request (connect-src).";
  return `${shown} could not be fetched: ${showInvisibleCharacters(messageOf(cause), longestAddress)}. ${advice}`;
}

interface ReadOptions {
  /** Size in bytes that the server announced; NaN if it announced none. */
  readonly length: number;
  readonly signal: AbortSignal;
  readonly onShare: (share: number) => void;
}

async function readBytes(
  response: Response,
  { length, signal, onShare }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let head: Uint8Array = new Uint8Array();
  let size = 0;
  // For a compressed response, the length would be that of the compressed bytes.
  const isExact = length > 0 && !response.headers.has("content-encoding");
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const piece = (await reader?.read())?.value;
      if (!piece) return joined(pieces, size);
      pieces.push(piece);
      size += piece.length;
      if (head.length < fileHeadLength) head = joined([head, piece.subarray(0, fileHeadLength)]);
      checkRunFileSize(head, isExact ? Math.max(size, length) : size);
      if (isExact) onShare(Math.min(1, size / length));
    }
  } catch (cause) {
    signal.throwIfAborted();
    void reader?.cancel().catch(() => {});
    if (cause instanceof TraceError) throw cause;
    throw new TimelineError(`The file was cut off after ${size} bytes: ${messageOf(cause)}. Try again.`, {
      cause,
    });
  }
}

function joined(
  pieces: readonly Uint8Array[],
  size = pieces.reduce((sum, { length }) => sum + length, 0),
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const piece of pieces) {
    bytes.set(piece, place);
    place += piece.length;
  }
  return bytes;
}
