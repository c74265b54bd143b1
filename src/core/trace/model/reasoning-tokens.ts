/** Finds the tokens of a run that are the model's reasoning before its answer. */
import { splitReasoning } from "../text/reasoning.ts";
import type { TraceModel } from "./trace-model.ts";

export interface ReasoningTokens {
  /** Tokens before this index are of the reasoning; those that were removed from it, too. */
  readonly end: number;
  /** How many of them are in the output, marks and the white space before the answer included. */
  readonly count: number;
  /** The reasoning has not ended. */
  readonly isOpen: boolean;
}

/** Null if the output begins with its answer, or if nothing is known yet. */
export function reasoningTokens({ request, tokens, live }: TraceModel): ReasoningTokens | null {
  if (!request?.reasoning) return null;
  const text = live.map((index) => tokens.text[index]).join("");
  const { reasoning, answerStart, isOpen } = splitReasoning(text, request.reasoning);
  if (reasoning === null || text === "") return null;
  let count = 0;
  for (let length = 0; length < answerStart; count += 1) length += tokens.text[live[count] ?? 0]?.length ?? 0;
  return { end: live[count] ?? tokens.text.length, count, isOpen };
}
