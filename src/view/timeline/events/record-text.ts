/** A record as JSON that is short enough to draw. Long lists and texts are cut, with a note of how much is missing. Pure. */
import { formatCount } from "../../../core/base/number-text.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { EventItem } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { noCallRecord } from "./event-rows.ts";

/** The most entries of a list, and the most UTF-16 units of a text, that are drawn. */
const mostEntries = 40;
const longestText = 2_000;
/** The most lines of a record. */
const mostLines = 2_000;

/** Numbers of the records that belong to an event, or of a call's record. */
export function recordsOf(trace: TraceModel, event: EventItem, call: number): readonly number[] {
  if (call !== noCallRecord) return [call];
  const { firstToken, type, record, adjusted } = event;
  const scored =
    type === "added" && firstToken !== null ? (trace.tokens.scoredRecord[firstToken] ?? noIndex) : noIndex;
  return [record, adjusted, scored === noIndex ? null : scored].filter((number) => number !== null);
}

/** The record as indented JSON, cut if it is long. */
export function recordText(record: unknown): string {
  const lines: string[] = [];
  write(record, "", "", lines);
  if (lines.length <= mostLines) return lines.join("\n");
  return [...lines.slice(0, mostLines), `… and ${formatCount(lines.length - mostLines)} more lines`].join(
    "\n",
  );
}

/**
 * Appends the lines of a value. `before`: the beginning of its first line. `after`: the end of its last line, such as a comma.
 */
function write(value: unknown, before: string, indent: string, lines: string[], after = ""): void {
  if (typeof value === "string" && value.length > longestText) {
    const left = formatCount(value.length - longestText);
    lines.push(
      `${before}${JSON.stringify(value.slice(0, longestText))}… and ${left} more characters${after}`,
    );
    return;
  }
  if (typeof value !== "object" || value === null || isShort(value)) {
    lines.push(`${before}${JSON.stringify(value)}${after}`);
    return;
  }
  const isList = Array.isArray(value);
  const entries = isList ? value.map((entry) => ["", entry] as const) : Object.entries(value);
  lines.push(`${before}${isList ? "[" : "{"}`);
  const inner = `${indent}  `;
  const shown = entries.slice(0, mostEntries);
  shown.forEach(([key, entry], place) => {
    const name = isList ? "" : `${JSON.stringify(key)}: `;
    write(entry, `${inner}${name}`, inner, lines, place < entries.length - 1 ? "," : "");
  });
  if (entries.length > shown.length)
    lines.push(`${inner}… and ${formatCount(entries.length - shown.length)} more`);
  lines.push(`${indent}${isList ? "]" : "}"}${after}`);
}

/** Whether a value fits on one line: a small object without nested objects, such as a token. */
function isShort(value: object): boolean {
  const entries = Object.values(value);
  if (entries.length > 6 || entries.some((entry) => typeof entry === "object" && entry !== null))
    return false;
  return entries.every((entry) => typeof entry !== "string" || entry.length < 40);
}
