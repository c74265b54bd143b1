/** What a model thought before it answered: which part of a text that is. */
import type { TraceReasoning } from "./format-request.ts";

/** A text in its two parts. Lengths are in UTF-16 units. */
export interface TextParts {
  /** Without its marks and the white space around it; null where the model did not think. */
  readonly reasoning: string | null;
  /** After the reasoning, without the white space between; "" while the model thinks. */
  readonly answer: string;
  /** Where `answer` begins in the text. */
  readonly answerStart: number;
  /** The reasoning has not ended. */
  readonly isOpen: boolean;
}

/**
 * Reasoning stands at the very beginning and once: marks further on are the answer's own text.
 * @param marks null where the model does not think: all of the text is its answer.
 */
export function splitReasoning(text: string, marks: TraceReasoning | null | undefined): TextParts {
  const whole = { reasoning: null, answer: text, answerStart: 0, isOpen: false };
  if (!marks) return whole;
  const { open, close, isBegun } = marks;
  const first = text.length - text.trimStart().length;
  // Some models write the mark once more that their prompt ends with.
  const isMarked = text.startsWith(open, first);
  if (!isBegun && !isMarked) return whole;
  const start = isMarked ? first + open.length : 0;
  const end = text.indexOf(close, start);
  if (end < 0) {
    return { reasoning: text.slice(start).trim(), answer: "", answerStart: text.length, isOpen: true };
  }
  const after = text.slice(end + close.length);
  const answer = after.trimStart();
  return {
    reasoning: text.slice(start, end).trim(),
    answer,
    answerStart: text.length - answer.length,
    isOpen: false,
  };
}

/**
 * Whether it is still open if a text begins with reasoning: it is a beginning of the mark, or there is nothing of it. Such a
 * text is held back until it is known.
 */
export function mayBeginReasoning(text: string, { open }: TraceReasoning): boolean {
  const begun = text.trimStart();
  return begun.length < open.length && open.startsWith(begun);
}
