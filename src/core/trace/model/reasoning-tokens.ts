/** Finds the tokens of a run that are the model's reasoning. */
import { splitReasoning } from "../text/reasoning.ts";
import type { TraceModel } from "./trace-model.ts";

export interface ReasoningTokenRange {
  /** Tokens before this index belong to the reasoning, including tokens that were removed from it. */
  readonly end: number;
  /** Number of these tokens in the output, including marks and the white space before the answer. */
  readonly count: number;
  /** True while the reasoning has not ended. */
  readonly isOpen: boolean;
}

/** Null if the output has no reasoning, or if its beginning is too short to tell. */
export function reasoningTokenRange({
  request,
  tokens,
  outputTokens,
}: TraceModel): ReasoningTokenRange | null {
  if (!request?.reasoning) return null;
  const text = outputTokens.map((index) => tokens.text[index]).join("");
  const { reasoning, answerStart, isOpen } = splitReasoning(text, request.reasoning);
  if (reasoning === null || text === "") return null;
  let count = 0;
  for (let length = 0; length < answerStart; count += 1)
    length += tokens.text[outputTokens[count] ?? 0]?.length ?? 0;
  return { end: outputTokens[count] ?? tokens.text.length, count, isOpen };
}
