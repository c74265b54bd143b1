import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { TokenId } from "../../../core/sdk/request.ts";

/**
 * The first position where the model's best token is not the expected one. `gap` is the difference of their logits: if
 * it is small, another machine may choose the other token.
 */
export interface TokenDifference {
  readonly at: number;
  readonly expected: TokenId;
  readonly best: TokenId;
  readonly gap: number;
}

/** The token with the largest logit; of equal ones, the lowest id. */
export function bestToken(logits: Float32Array): TokenId {
  let best = 0;
  for (let token = 1; token < logits.length; token++) {
    if ((logits[token] ?? 0) > (logits[best] ?? 0)) best = token;
  }
  return best;
}

/** Up to `count` greedy tokens after `prompt`, from an empty context. An end-of-sequence token is the last. */
export async function generateGreedily(
  model: LanguageModel,
  prompt: readonly TokenId[],
  count: number,
): Promise<TokenId[]> {
  model.truncate(0);
  let logits = await model.forward(prompt);
  const tokens: TokenId[] = [];
  while (tokens.length < count) {
    const token = bestToken(logits);
    tokens.push(token);
    if (model.endOfSequence.includes(token) || tokens.length === count) break;
    logits = await model.forward([token]);
  }
  return tokens;
}

/**
 * Compares `expected` with the model's best token at each position.
 * @returns the first difference; null if there is none.
 */
export async function firstTokenDifference(
  model: LanguageModel,
  prompt: readonly TokenId[],
  expected: readonly TokenId[],
): Promise<TokenDifference | null> {
  model.truncate(0);
  let logits = await model.forward(prompt);
  for (const [at, token] of expected.entries()) {
    const best = bestToken(logits);
    if (best !== token) return { at, expected: token, best, gap: (logits[best] ?? 0) - (logits[token] ?? 0) };
    if (at < expected.length - 1) logits = await model.forward([token]);
  }
  return null;
}
