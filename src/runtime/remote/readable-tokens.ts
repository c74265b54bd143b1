/** Tokens by which two tokenizers are compared. */
import type { TokenId } from "../../core/sdk/request.ts";
import type { ModelTokenizer } from "../../core/tokenizer/create-tokenizer.ts";

/** Tokens of a larger vocabulary that are tried, at least; fewer than twice as many. */
const compared = 512;

/** Tokens spread over the vocabulary that are plain text: letters, digits, punctuation and spaces; no special tokens, and none that ends within a character. */
export function selectPlainTextTokens(
  tokenizer: Pick<ModelTokenizer, "vocabSize" | "decode" | "tokenText" | "specialNames">,
): TokenId[] {
  const special = new Set(tokenizer.specialNames);
  const step = Math.max(1, Math.floor(tokenizer.vocabSize / compared));
  const found: TokenId[] = [];
  for (let token = 0; token < tokenizer.vocabSize; token += step) {
    const text = tokenizer.decode([token]);
    const isReadable = /^[ \p{L}\p{N}\p{P}]+$/u.test(text) && !special.has(tokenizer.tokenText(token));
    if (isReadable) found.push(token);
  }
  return found;
}
