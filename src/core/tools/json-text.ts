/**
 * Reads JSON in the middle of other text, as models write it: finds the end of a value, and the members of an object in their
 * original spelling.
 */
import { isRecord } from "../base/record.ts";

/** The deepest nesting that is read: no arguments are deeper, and the stack does not overflow. */
const MOST_DEPTH = 256;

const isSpace = (character: string | undefined) =>
  character === " " || character === "\n" || character === "\r" || character === "\t";

/** The first index from `start` that is no white space of JSON (RFC 8259, section 2). */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

/** The index after the string that begins at `start`; -1 when it is not closed. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

/**
 * The index after the JSON value that begins at `start`, for objects and lists by their brackets alone; -1 if the value is not
 * closed or nested too deep, or if no value begins there.
 */
export function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  if (text[start] !== "{" && text[start] !== "[") return scalarEnd(text, start);
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      if (at < 0) return -1;
      continue;
    }
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") depth--;
    if (depth > MOST_DEPTH) return -1;
    at++;
    if (depth === 0) return at;
  }
  return -1;
}

function scalarEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && /[-+.\w]/.test(text[at] as string)) at++;
  return at > start ? at : -1;
}

/** The parsed value, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Members of a JSON object, each value as it is spelled, so that a large number keeps its digits. If a key occurs
 * twice, the last one counts, as in `JSON.parse`. Null if the text is no JSON object or is nested too deep.
 */
export function membersOf(text: string): ReadonlyMap<string, string> | null {
  const value = parseJson(text);
  if (!isRecord(value)) return null;
  const members = new Map<string, string>();
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (end < 0) return null;
    members.set(JSON.parse(text.slice(at, keyEnd)), text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

/** Items of a JSON list, each as it is spelled; null when the text is no JSON list, or nested too deep. */
export function itemsOf(text: string): readonly string[] | null {
  if (!Array.isArray(parseJson(text))) return null;
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== "]") {
    const end = valueEnd(text, at);
    if (end < 0) return null;
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return items;
}
