/** Ranges and validators of HTTP requests for a part of a file (RFC 9110, 13 and 14). Pure. */
import type { IncomingHttpHeaders } from "node:http";

/** First and last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The requested range; null for the whole file, also if the header is missing, invalid, or asks for several ranges. */
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

/** Whether the client already has this version of the file. */
export function clientHasVersion(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, ""));
  return known?.some((each) => each === etag || each === "*") ?? false;
}

/** Whether only a part may be sent: a client that has parts of another version needs the whole file. */
export function maySendRange(headers: IncomingHttpHeaders, etag: string): boolean {
  const begun = headers["if-range"];
  return begun === undefined || begun === etag;
}
