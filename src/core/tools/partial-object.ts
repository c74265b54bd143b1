/** A call as a JSON object, read from a text that may end in the middle of it. */

import type { PartialCall } from "./format.ts";
import { parseJson, skipSpace, valueEnd } from "./json-text.ts";
import { argumentKeys, maximumCallNameLength, readCallObject } from "./read-call.ts";

export interface PartialCallObject {
  /** Null while the call's name has not come, and if the object is no call. */
  readonly call: PartialCall | null;
  /** The index after the object; -1 while it has not ended. */
  readonly end: number;
}

/** Reads the object that begins at `start`. */
export function readPartialCallObject(text: string, start: number): PartialCallObject {
  const end = text[start] === "{" ? valueEnd(text, start) : -1;
  if (end < 0) return { call: readOpenObject(text, start), end };
  const call = readCallObject(text.slice(start, end));
  return { call: call && { ...call, isWhole: true }, end };
}

/** Reads an unfinished object. Arguments that are not written as an object are read only when the object ends. */
function readOpenObject(text: string, start: number): PartialCall | null {
  if (text[start] !== "{") return null;
  let name: unknown;
  let written = "";
  let isWhole = false;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = valueEnd(text, at);
    if (keyEnd < 0) break;
    const key = parseJson(text.slice(at, keyEnd));
    const colon = skipSpace(text, keyEnd);
    const from = skipSpace(text, colon + 1);
    // A call inside another object (`{"function": {…}}`) is read only when that object has ended.
    if (text[colon] !== ":" || key === "function") break;
    const to = valueEnd(text, from);
    if (argumentKeys.includes(String(key)) && text[from] === "{") {
      written = text.slice(from, to < 0 ? text.length : to);
      isWhole = to >= 0;
    }
    if (to < 0) break;
    if (key === "name") name = parseJson(text.slice(from, to));
    const comma = skipSpace(text, to);
    if (text[comma] !== ",") break;
    at = skipSpace(text, comma + 1);
  }
  if (typeof name !== "string" || name === "" || name.length > maximumCallNameLength) return null;
  return { name, arguments: written, isWhole };
}
