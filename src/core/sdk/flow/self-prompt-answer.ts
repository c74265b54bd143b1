import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

export interface SelfPromptAnswer {
  /** The answer's text, without stop sequence and surrounding white space. */
  readonly text: string;
  /** The answer without its stop sequence, as it was emitted. */
  readonly tokens: readonly TokenId[];
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The answer in the tokens that were emitted for a question. */
export function answerOf(
  { strategy }: SelfPromptPlan,
  tokens: readonly TokenId[],
  tokenizer: Tokenizer,
): SelfPromptAnswer {
  const answer = strategy.answerOf(textOf(tokens, tokenizer));
  return { text: answer.trim(), tokens: tokensOf(answer, tokens, tokenizer) };
}

/** The emitted tokens of the answer, if a token ends where the answer ends; otherwise the tokens of the encoded answer. */
function tokensOf(answer: string, tokens: readonly TokenId[], tokenizer: Tokenizer): readonly TokenId[] {
  for (let length = tokens.length; length >= 0; length--) {
    const text = textOf(tokens.slice(0, length), tokenizer);
    if (text === answer) return tokens.slice(0, length);
    if (text.length < answer.length) break;
  }
  return tokenizer.encode(answer);
}

/** The text of the tokens' bytes, as the strategy reads it. The tokenizer's own decoder may drop a space before the first token. */
function textOf(tokens: readonly TokenId[], tokenizer: Tokenizer): string {
  const bytes = tokens.flatMap((token) => [...tokenizer.tokenBytes(token)]);
  return decoder.decode(Uint8Array.from(bytes));
}
