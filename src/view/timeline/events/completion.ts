/** Suggestions at the caret of the filter: keys, and the possible values of a key. Pure. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";
import { type FilterSpan, filterKeyHints, filterNumberKeys, filterWordKeys } from "./filter-language.ts";

export interface FilterCompletionOption {
  /** The text that replaces the span. */
  readonly insert: string;
  readonly label: string;
  readonly hint: string;
}

export interface FilterCompletion extends FilterSpan {
  readonly options: readonly FilterCompletionOption[];
}

const mostOptions = 12;

/** The displayed names of the run's mods, without duplicates. */
export function displayedModNames(trace: TraceModel): readonly string[] {
  const count = trace.request?.mods.length ?? 0;
  return [...new Set(Array.from({ length: count }, (_, mod) => modName(trace, mod)))];
}

/** Null if nothing can be completed: inside a quotation or a regular expression, or if the word is complete. */
export function filterCompletionAt(
  text: string,
  caret: number,
  mods: readonly string[],
): FilterCompletion | null {
  const before = text.slice(0, caret);
  const [, dash = "", word = ""] = /(?:^|\s)(-?)([^\s"/]*)$/.exec(before) ?? [];
  if (endsInsideLiteral(before) || !/(?:^|\s)-?[^\s"/]*$/.test(before)) return null;
  const from = caret - word.length;
  const to = caret + (/^[^\s"]*/.exec(text.slice(caret))?.[0].length ?? 0);
  const [, key, value = ""] = /^([a-z]+):(.*)$/i.exec(word) ?? [];
  const options = key === undefined ? keyOptions(word) : valueOptions(key.toLowerCase(), value, mods);
  const isWhole = options.length === 1 && options[0]?.insert.trimEnd() === text.slice(from, to);
  const isBeforeOtherTerm = word === "" && dash === "" && text.slice(caret).trim() !== "";
  if (options.length === 0 || isWhole || isBeforeOtherTerm) return null;
  return { from, to, options: options.slice(0, mostOptions) };
}

/** Whether the text ends inside a quotation or a regular expression. */
function endsInsideLiteral(before: string): boolean {
  const withoutClosed = before
    .replace(/(^|\s|-|:)"[^"]*"/g, "$1")
    .replace(/(^|\s|-)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*\/[a-z]*/g, "$1");
  return /(?:^|\s|-|:)["]|(?:^|\s|-)\//.test(withoutClosed);
}

/** The sign that is suggested after a key; a colon after all others. */
const usualSigns: Readonly<Record<string, string>> = { p: "<", entropy: ">", took: ">" };

function keyOptions(word: string): readonly FilterCompletionOption[] {
  return Object.entries(filterKeyHints).flatMap(([key, hint]) => {
    if (!key.startsWith(word.toLowerCase())) return [];
    const start = `${key}${usualSigns[key] ?? ":"}`;
    return [{ insert: start, label: start, hint }];
  });
}

function wordsOfKey(key: string, mods: readonly string[]): readonly string[] {
  if (key === "mod") return mods;
  return key in filterWordKeys ? filterWordKeys[key as keyof typeof filterWordKeys] : [];
}

function valueOptions(
  key: string,
  value: string,
  mods: readonly string[],
): readonly FilterCompletionOption[] {
  if ((filterNumberKeys as readonly string[]).includes(key)) return [];
  return wordsOfKey(key, mods).flatMap((word) => {
    if (!word.toLowerCase().includes(value.toLowerCase())) return [];
    // A quotation cannot contain a quotation mark, so only the part of the name before such a mark is used.
    const written = /[\s"]/.test(word) ? `"${word.split('"')[0]}"` : word;
    return [{ insert: `${key}:${written} `, label: `${key}:${word}`, hint: "" }];
  });
}
