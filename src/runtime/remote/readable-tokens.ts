/** Tokens by which two tokenizers are compared, and tokens that end inside a character. */
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

/** The tokens after which llama.cpp's server waits for the rest of a character, listed when they are needed first. */
export function listPartTokens(
  tokenizer: Pick<ModelTokenizer, "vocabSize" | "tokenBytes">,
): () => readonly TokenId[] {
  let found: readonly TokenId[] | null = null;
  return () => {
    found ??= Array.from({ length: tokenizer.vocabSize }, (_, token) => token).filter((token) =>
      endsWithPartOfCharacter(tokenizer.tokenBytes(token)),
    );
    return found;
  };
}

/** Whether the last bytes begin a UTF-8 sequence that is longer than they are. */
export function endsWithPartOfCharacter(bytes: Uint8Array): boolean {
  for (let place = 1; place <= Math.min(3, bytes.length); place++) {
    const byte = bytes[bytes.length - place] as number;
    if (byte >= 0xc0 && byte < 0xf8) return place < sequenceLength(byte);
  }
  return false;
}

/** Bytes of the UTF-8 sequence that begins with this byte. */
function sequenceLength(first: number): number {
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
