/** Describes a wrong value for messages: in a few words, on one line. */

/** The most characters of a text, and of a JSON text, that are shown. */
const LONGEST_TEXT = 40;
const LONGEST_JSON = 60;

/**
 * Describes a value without its content: `"text"`, `a list of 3`, `an object`. The cost does not grow with the value,
 * and no code of the value runs, so the function is safe for values from mods and files.
 */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(value, LONGEST_TEXT));
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (isList(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  return value instanceof Promise ? "a promise (await it first)" : "an object";
}

/** A value as JSON, so that its author recognises it; like `describeValue` if the value cannot become JSON. */
export function showJson(value: unknown): string {
  return cut(jsonOf(value) ?? describeValue(value), LONGEST_JSON);
}

/** True for arrays and for typed arrays such as Float32Array. */
export function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function jsonOf(value: unknown): string | undefined {
  // JSON writes NaN and the infinities as null.
  if (typeof value === "number") return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // The value has a cycle or a BigInt.
    return undefined;
  }
}
