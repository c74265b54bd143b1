/** Which tokens of a run are what the model thought before its answer. */
import { splitReasoning } from "./reasoning.ts";
import type { TraceModel } from "./trace-model.ts";

export interface ReasoningTokens {
  /** Tokens before this index are of the reasoning; those that were removed from it, too. */
  readonly end: number;
  /** How many of them are in the output, marks and the white space before the answer included. */
  readonly count: number;
  /** The reasoning has not ended. */
  readonly isOpen: boolean;
}

/** Null where the output begins with its answer, or nothing is known of it yet. */
export function reasoningTokens({ request, tokens, live }: TraceModel): ReasoningTokens | null {
  const marks = request?.reasoning;
  if (!marks || live.length === 0) return null;
  let text = "";
  // The closing mark is looked for in what a token added, and a mark's length before it.
  for (const [place, index] of live.entries()) {
    const from = Math.max(0, text.length - marks.close.length);
    text += tokens.text[index] ?? "";
    if (!text.includes(marks.close, from)) continue;
    return ending(text, marks, live, place, tokens.text);
  }
  const { reasoning } = splitReasoning(text, marks);
  return reasoning === null ? null : { end: tokens.text.length, count: live.length, isOpen: true };
}

/** Tokens of white space alone between the closing mark and the answer are of the reasoning as well. */
function ending(
  text: string,
  marks: NonNullable<NonNullable<TraceModel["request"]>["reasoning"]>,
  live: readonly number[],
  place: number,
  texts: readonly string[],
): ReasoningTokens | null {
  if (splitReasoning(text, marks).reasoning === null) return null;
  let next = place + 1;
  while (next < live.length && (texts[live[next] ?? 0] ?? "").trim() === "") next += 1;
  return { end: live[next] ?? texts.length, count: next, isOpen: false };
}
