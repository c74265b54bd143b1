/** Splits a text into the model's reasoning and its answer. */
import type { TraceReasoning } from "../format/format-request.ts";

/** A text split into reasoning and answer. Lengths are in UTF-16 units. */
export interface ReasoningAndAnswer {
  /** The reasoning without its marks and the white space around it; null if the model did not think. */
  readonly reasoning: string | null;
  /** The answer, without the white space before it and without its marks; "" while the model thinks. */
  readonly answer: string;
  /** Where `answer` begins in the text. */
  readonly answerStart: number;
  /** Where `answer` ends: the end of the text, or before a mark that closes the answer. */
  readonly answerEnd: number;
  /** True while the reasoning has not ended. */
  readonly isOpen: boolean;
}

/**
 * Splits a text. Reasoning comes once, at the very beginning: later marks are text of the answer.
 * @param marks null if the model does not think: all text is its answer.
 */
export function splitReasoning(text: string, marks: TraceReasoning | null | undefined): ReasoningAndAnswer {
  if (!marks) return { reasoning: null, ...from(text, 0), isOpen: false };
  const { open, close, isBegun } = marks;
  const first = skipSpace(text, 0);
  // Some models repeat the opening mark with which their prompt ends.
  const isMarked = text.startsWith(open, first);
  if (!isBegun && !isMarked) {
    const isAnswerMarked = marks.answer !== undefined && text.startsWith(marks.answer.open, first);
    const answer = isAnswerMarked ? answerFrom(text, first, marks) : from(text, 0);
    return { reasoning: null, ...answer, isOpen: false };
  }
  const start = isMarked ? first + open.length : 0;
  const end = text.indexOf(close, start);
  if (end < 0) return { reasoning: text.slice(start).trim(), ...from(text, text.length), isOpen: true };
  return {
    reasoning: text.slice(start, end).trim(),
    ...answerFrom(text, end + close.length, marks),
    isOpen: false,
  };
}

type Answer = Pick<ReasoningAndAnswer, "answer" | "answerStart" | "answerEnd">;

function from(text: string, answerStart: number, answerEnd: number = text.length): Answer {
  return { answer: text.slice(answerStart, answerEnd), answerStart, answerEnd };
}

/** The text after `start`, without leading white space and without the marks around an answer. */
function answerFrom(text: string, start: number, { answer: marks }: TraceReasoning): Answer {
  const first = skipSpace(text, start);
  if (!marks || !text.startsWith(marks.open, first)) return from(text, first);
  const inner = skipSpace(text, first + marks.open.length);
  const { close } = marks;
  const rest = text.slice(inner).trimEnd();
  if (close === "" || !rest.endsWith(close)) return from(text, inner);
  return from(text, inner, inner + rest.slice(0, rest.length - close.length).trimEnd().length);
}

function skipSpace(text: string, start: number): number {
  return text.length - text.slice(start).trimStart().length;
}

/**
 * The length, in UTF-16 units, of the part of a growing answer that cannot become one of its marks.
 * @param parts of the text, as `splitReasoning` returns them.
 */
export function certainAnswerLength(
  text: string,
  parts: ReasoningAndAnswer,
  { answer: marks }: TraceReasoning,
): number {
  const { answer, answerStart, answerEnd } = parts;
  // A closing mark counts at the end of the text only. If text follows it, the answer goes on, with this answer at its start.
  const isClosed = answerEnd < text.length;
  if (!marks || isClosed) return answer.length;
  // At the start of the answer, the text may be the beginning of the answer's opening mark.
  if (answer.length < marks.open.length && marks.open.startsWith(answer)) return 0;
  const isMarked = text.slice(0, answerStart).trimEnd().endsWith(marks.open);
  if (!isMarked || marks.close === "") return answer.length;
  return withoutBegunMark(answer, marks.close).trimEnd().length;
}

/** Removes text at the end that may become the closing mark, and the white space before it. */
export function withoutBegunMark(text: string, close: string): string {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return text.slice(0, text.length - length).trimEnd();
  }
  return text;
}

/**
 * True while a growing text may still begin with a mark of the reasoning or the answer: so far, the text is empty or the
 * beginning of a mark. Such a text is held back.
 */
export function mayBeginReasoning(text: string, { open, answer }: TraceReasoning): boolean {
  const begun = text.trimStart();
  return [open, answer?.open ?? ""].some((mark) => begun.length < mark.length && mark.startsWith(begun));
}
