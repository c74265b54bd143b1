/** Finds the beginning of a tool call at the end of an output that was cut before the name of the call was complete. Pure. */

/** Characters. A shorter beginning of a mark counts as text, because many outputs contain `<` or `<|`. */
const shortestMark = 4;

/** If a cut text ends with the beginning of one of the marks, the index of that beginning; otherwise -1. */
export function unfinishedMarkStart(text: string, marks: readonly string[]): number {
  const sizes = marks.map((mark) => {
    let size = Math.min(mark.length - 1, text.length);
    while (size >= shortestMark && !text.endsWith(mark.slice(0, size))) size -= 1;
    return size;
  });
  const most = Math.max(...sizes);
  return most < shortestMark ? -1 : text.length - most;
}

/** `{"name":`, cut after any of its characters. */
const objectStart = String.raw`\{\s*(?:"(?:n(?:a(?:m(?:e(?:"\s*)?)?)?)?)?)?`;
const wholeObjectStart = new RegExp(String.raw`^\s*(?:${objectStart})?$`);

/** Whether the text can be the beginning of a call object. A blank text can. */
export const mayBeginCallObject = (text: string): boolean => wholeObjectStart.test(text);

/** Whether the text is clearly the beginning of a call object: `{` and `{"` alone may begin any JSON. */
export const beginsCallObject = (text: string): boolean => mayBeginCallObject(text) && text.includes("n");

/** The end of a recorded output that may be a call without its complete name. */
export interface IncompleteNameCall {
  /** Index of the call's first character in the output. */
  readonly at: number;
  /** The part of the name that was written; null if no character was. */
  readonly name: string | null;
  /** Whether a mark stands before the text: then the text can only be a call. */
  readonly isMarked: boolean;
}

/** All marks that models write as text before their calls. */
const marks = ["<tool_call>", "<|tool_call|>", "<|tool_call_start|>", "<|python_tag|>"];

const endsInMark = new RegExp(`(?:${marks.map((mark) => mark.replaceAll("|", "\\|")).join("|")})\\s*$`);
/** Matches a call object at the end of a text that stops before the name is complete. The object may be the first of a list. */
const objectAtEnd = new RegExp(
  String.raw`(?:\[\s*)?${objectStart}(?:(?<="name"\s*):\s*(?:"(?<name>[\w.-]*))?)?$`,
);
/** Matches the beginning of LFM2's list of calls at the end of a text that stops before the first name is complete. */
const listAtEnd = /\[\s*(?<name>[A-Za-z_][\w.-]*)?$/;
const afterSeparator = /(?<=[,;]\s*)(?<name>[A-Za-z_][\w.-]*)?$/;

/** Number of characters at the end of the output that are searched: enough for a mark, white space and a name of 256 characters. */
const longestEnd = 400;

/**
 * The call at the end of an output that stops before the call's name is complete, with or without a mark before the call;
 * null if the output cannot end in such a call.
 * @param follows whether complete calls come before, so that the output may also end in a separator
 */
export function findIncompleteNameCall(answer: string, follows: boolean): IncompleteNameCall | null {
  const start = Math.max(0, answer.length - longestEnd);
  const text = answer.slice(start);
  const partial = unfinishedMarkStart(text, marks);
  if (partial >= 0) return { at: start + partial, name: null, isMarked: true };
  const found =
    objectAtEnd.exec(text) ?? listAtEnd.exec(text) ?? (follows ? afterSeparator.exec(text) : null);
  const at = found?.index ?? text.length;
  const isMarked = endsInMark.test(text.slice(0, at));
  if (!found && !isMarked) return null;
  return { at: start + at, name: found?.groups?.name ?? null, isMarked };
}

/** Whether the output has nothing but the beginning of a mark, for example `<tool`. Even `<` counts. */
export const isOnlyMarkBeginning = (output: string): boolean =>
  output.trim() !== "" && marks.some((mark) => mark.startsWith(output.trim()));
