/** Reads a stored text: its readable entries are used, and a sentence says if the text, or a part of it, cannot be used. */

import { JsonBoundsError, parseBoundedJson } from "../../../core/base/json-bounds.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { StoredReadResult } from "./persist.ts";
import { labelOfStorageKey } from "./set-aside.ts";

/** The page does not take a well-formed value. The message says why, with the count and the limit. */
export class RefusedValueError extends Error {
  override name = "RefusedValueError";
}

/** Local storage holds five million characters; no value of the page's own comes near these bounds. */
const bounds = { characters: 10_000_000, depth: 200, values: 2_000_000 };

/** `parse` returns null for a value of an unknown form, and leaves out entries that it cannot read. */
export function parseStoredText<Value>(
  storageKey: string,
  text: string,
  parse: (value: unknown) => Value | null,
): StoredReadResult<Value> {
  const what = labelOfStorageKey(storageKey);
  let stored: unknown;
  let value: Value | null;
  try {
    stored = parseBoundedJson(text, bounds, `${what}: the saved entry`);
    value = parse(stored);
  } catch (cause) {
    const isRefused = cause instanceof RefusedValueError || cause instanceof JsonBoundsError;
    return { value: null, why: isRefused ? cause.message : `${what}: the saved entry is damaged.` };
  }
  if (value === null) return { value, why: `${what}: the saved entry cannot be read.` };
  const isWhole = keepsAll(stored, value);
  return { value, why: isWhole ? null : `${what}: part of the saved entry cannot be read.` };
}

/** Whether a parser kept each entry and each field that it knows as they were stored. */
function keepsAll(stored: unknown, parsed: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(parsed))
    return stored.length === parsed.length && stored.every((each, place) => keepsAll(each, parsed[place]));
  if (isRecord(stored) && isRecord(parsed))
    return Object.entries(stored).every(
      ([name, each]) => !Object.hasOwn(parsed, name) || keepsAll(each, parsed[name]),
    );
  return Object.is(stored, parsed);
}
