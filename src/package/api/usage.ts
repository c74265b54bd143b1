/** The usage of a call. A prompt counts once, even with several choices. */
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import type { CompletionUsage } from "./chat-completion.ts";

/** The counted fields of a choice that has ended. */
export interface EndedChoice {
  readonly record: FinishedRecord;
  /** Absent if no tokens are reasoning. */
  readonly reasoningTokens?: number;
}

/** `choices`: how many consecutive choices have the same prompt. */
export function usageOf(ended: readonly EndedChoice[], choices: number): CompletionUsage {
  const all = ended.map(({ record }) => record.usage);
  // The first choice computed the prompt's tokens; later choices find them in the cache.
  const first = all.filter((_, place) => place % choices === 0);
  const prompt_tokens = sum(first.map(({ promptTokens }) => promptTokens));
  const completion_tokens = sum(all.map(({ completionTokens }) => completionTokens));
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: sum(first.map(({ reusedTokens }) => reusedTokens)) },
    completion_tokens_details: {
      reasoning_tokens: sum(ended.map(({ reasoningTokens }) => reasoningTokens ?? 0)),
    },
    midtoken: {
      hidden_tokens: sum(all.map(({ hiddenTokens }) => hiddenTokens)),
      forward_passes: sum(all.map(({ forwardPasses }) => forwardPasses)),
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
