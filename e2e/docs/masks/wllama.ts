import type { Wllama } from "@wllama/wllama";
import { createMatcher, hasToken, type Strategy, type TokenBytes } from "midtoken/masks";

/** The model's text after a prompt, within a strategy. Calls the model once for every token that is not forced. */
export async function completeWithin(
  wllama: Wllama,
  vocabulary: TokenBytes,
  strategy: Strategy,
  prompt: string,
): Promise<string> {
  const matcher = createMatcher(strategy, vocabulary);
  while (!matcher.isComplete) {
    const forced = matcher.forcedTokens();
    matcher.accept(forced);
    if (forced.length > 0) continue;
    const { choices } = await wllama.createCompletion({
      prompt: prompt + matcher.text,
      max_tokens: 1,
      temperature: 0,
      logprobs: 1,
      // Typed as two shapes at once in wllama 3.8, as a record and as a list: it reads records.
      logit_bias: biasOf(matcher.mask(), vocabulary, matcher.canEnd) as never,
    });
    // As llama.cpp gives it; typed as OpenAI has it, without ids.
    const logprobs = choices[0]?.logprobs as { content: { id: number }[] } | null | undefined;
    const chosen = logprobs?.content[0]?.id;
    if (chosen === undefined || vocabulary.eosTokenIds.includes(chosen)) break;
    matcher.accept(chosen);
  }
  return matcher.text;
}

/** A push for the tokens that may come, or against those that may not: whichever are fewer. */
function biasOf(mask: Uint32Array, { vocabSize, eosTokenIds }: TokenBytes, canEnd: boolean) {
  const all = Array.from({ length: vocabSize }, (_, token) => token);
  const mayCome = (token: number) => hasToken(mask, token) || (canEnd && eosTokenIds.includes(token));
  const allowed = all.filter(mayCome);
  if (allowed.length < vocabSize / 2) return Object.fromEntries(allowed.map((token) => [token, 1000]));
  return Object.fromEntries(all.filter((token) => !mayCome(token)).map((token) => [token, -1000]));
}
