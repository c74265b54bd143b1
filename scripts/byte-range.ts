/** A part of a file: what `Range` and the validators of a request ask for (RFC 9110, 13 and 14). Pure. */
import type { IncomingHttpHeaders } from "node:http";

/** First and last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The one range that is asked for; null for the whole file, also where the header is none or asks for several. */
export function byteRange(header: string | undefined, size: number): ByteRange | "outside" | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") return fromTo(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return null;
  return fromTo(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function fromTo(start: number, end: number, size: number): ByteRange | "outside" {
  return start < size ? { start, end } : "outside";
}

/** Whether the client has this version already. */
export function isKnown(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, ""));
  return known?.some((each) => each === etag || each === "*") ?? false;
}

/** Whether a part may be sent: a client that has begun with another version wants the whole of this one. */
export function mayContinue(headers: IncomingHttpHeaders, etag: string): boolean {
  const begun = headers["if-range"];
  return begun === undefined || begun === etag;
}
