import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

export interface SelfPromptAnswer {
  /** Without a stop text and without white space around it. */
  readonly text: string;
  /** The answer without its stop text, as it was emitted. */
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

/** The emitted tokens up to the answer's end, where one ends there; else the tokenizer's spelling. */
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
