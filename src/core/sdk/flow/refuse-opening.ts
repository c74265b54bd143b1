/**
 * Checks before the first forward pass whether the request's response format allows a mod's first question at the beginning of
 * the answer. This is possible if the question's prompt is written in the mod and stays in the answer. A prompt that a
 * function returns, and a question that an author's own handler asks, are known only later: then the response format refuses
 * their tokens.
 */
import { describeValue } from "../../base/show.ts";
import { type ConstraintState, constraintOf } from "../../masks/masks/constraint.ts";
import { firstTokens } from "../../masks/vocabulary/token-bits.ts";
import type { PrefilledEvent } from "../event.ts";
import type { TokenId } from "../request.ts";
import { responseStrategyOf } from "../response-strategy.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { type AskOptions, selfPromptPlanOf } from "./self-prompt-plan.ts";

/**
 * Why the request cannot ask this question, and what to write instead; null if it can, or if that is not known yet.
 * @param name the question's name in the sentence
 */
export function whyFormatForbidsQuestion(
  name: string,
  options: AskOptions,
  { responseFormat, tools }: PrefilledEvent,
  tokenizer: Tokenizer,
): string | null {
  // If the request has tools, the answer may also be a tool call, which each model writes in its own format.
  const strategy = responseFormat && tools.length === 0 ? responseStrategyOf(responseFormat) : null;
  if (strategy === null || typeof options.prompt === "function") return null;
  const { prompt, isHidden } = selfPromptPlanOf(options, tokenizer);
  if (isHidden) return null;
  let state: ConstraintState = constraintOf(strategy, tokenizer).start;
  for (const [place, token] of prompt.entries()) {
    const next = state.advance(token);
    if (!next) return refusal(name, prompt.slice(0, place), token, state, tokenizer);
    state = next;
  }
  return null;
}

function refusal(
  name: string,
  before: readonly TokenId[],
  token: TokenId,
  state: ConstraintState,
  tokenizer: Tokenizer,
): string {
  const where =
    before.length === 0
      ? "at the beginning of the answer"
      : `after ${describeValue(tokenizer.decode(before))}`;
  const others = firstTokens(state.mask(), 5).map((other) => describeValue(tokenizer.tokenText(other)));
  const allowed =
    others.length > 0 ? `Text allowed there: ${others.join(", ")}.` : "The answer has to end there.";
  return `${name} would become part of the answer, but the request's response_format does not allow ${describeValue(tokenizer.tokenText(token))} ${where}. ${allowed} To keep the question out of the answer, set erase: "all" on the question.`;
}
