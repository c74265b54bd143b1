/** Beginnings of calls whose name has not come, at the end of an answer that was cut. Pure. */

/** A shorter beginning of a mark is text: many answers contain `<` or `<|`. */
const shortestMark = 4;

/** The index at which a text that was cut begins one of the marks, without having all of it; -1 if it begins none. */
export function markBegunAtEnd(text: string, marks: readonly string[]): number {
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

/** A call may follow from this text, which may be blank. */
export const mayBeginCallObject = (text: string): boolean => wholeObjectStart.test(text);

/** The text is the beginning of a call's JSON. `{` and `{"` alone may be any JSON. */
export const beginsCallObject = (text: string): boolean => mayBeginCallObject(text) && text.includes("n");

/** The end of a recorded answer that may be a call whose name has not come. */
export interface UnnamedCall {
  /** The index at which its text begins. */
  readonly at: number;
  /** As much of the name as has come; null if nothing has. */
  readonly name: string | null;
  /** A mark stands before it, so that the text can be nothing but a call. */
  readonly isMarked: boolean;
}

/** All marks that models write as text before their calls. */
const marks = ["<tool_call>", "<|tool_call|>", "<|tool_call_start|>", "<|python_tag|>"];

const endsInMark = new RegExp(`(?:${marks.map((mark) => mark.replaceAll("|", "\\|")).join("|")})\\s*$`);
/** The object of a call up to its name, perhaps the first one of a list. */
const objectAtEnd = new RegExp(
  String.raw`(?:\[\s*)?${objectStart}(?:(?<="name"\s*):\s*(?:"(?<name>[\w.-]*))?)?$`,
);
/** LFM2's list of calls up to a name. */
const listAtEnd = /\[\s*(?<name>[A-Za-z_][\w.-]*)?$/;
const afterSeparator = /(?<=[,;]\s*)(?<name>[A-Za-z_][\w.-]*)?$/;

/** Characters at the end that are looked at: a mark, white space, and a name of 256 characters. */
const longestEnd = 400;

/**
 * The unnamed call at the end of an answer; null if the answer cannot end in one.
 * @param follows whole calls come before it, so that the answer may also end in a separator
 */
export function unnamedCall(answer: string, follows: boolean): UnnamedCall | null {
  const start = Math.max(0, answer.length - longestEnd);
  const text = answer.slice(start);
  const begun = markBegunAtEnd(text, marks);
  if (begun >= 0) return { at: start + begun, name: null, isMarked: true };
  const found =
    objectAtEnd.exec(text) ?? listAtEnd.exec(text) ?? (follows ? afterSeparator.exec(text) : null);
  const at = found?.index ?? text.length;
  const isMarked = endsInMark.test(text.slice(0, at));
  if (!found && !isMarked) return null;
  return { at: start + at, name: found?.groups?.name ?? null, isMarked };
}

/** The whole answer is the beginning of a mark, of any length. */
export const isBeginningOfMark = (answer: string): boolean =>
  answer.trim() !== "" && marks.some((mark) => mark.startsWith(answer.trim()));
