/**
 * A tokenizer's vocabulary in which special tokens have bytes too: 0xFF, which no UTF-8 text has (RFC 3629), and the token's
 * id. So a language over bytes can require a special token, and other tokens cannot spell these bytes.
 */
import type { TokenBytes } from "../masks/vocabulary/token-texts.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import type { WriteMarker } from "./format.ts";

const SPECIAL = 0xff;

export interface VocabularyWithSpecialTokens extends TokenBytes {
  /** Writes a marker as its special token, or as text if the tokenizer has no special token of that name. */
  readonly marker: WriteMarker;
  /** Special tokens by name, without end-of-sequence tokens. */
  readonly specialTokens: ReadonlyMap<string, TokenId>;
}

const vocabularies = new WeakMap<Tokenizer, VocabularyWithSpecialTokens>();

/** The vocabulary of a tokenizer, made once and cached. */
export function vocabularyWithSpecialTokens(tokenizer: Tokenizer): VocabularyWithSpecialTokens {
  const known = vocabularies.get(tokenizer);
  if (known) return known;
  const made = createVocabulary(tokenizer);
  vocabularies.set(tokenizer, made);
  return made;
}

function createVocabulary(tokenizer: Tokenizer): VocabularyWithSpecialTokens {
  const { vocabSize, eosTokenIds } = tokenizer;
  const special = new Map<string, TokenId>();
  const bytes = Array.from({ length: vocabSize }, (_, token) => {
    const own = tokenizer.tokenBytes(token);
    if (own.length > 0) return own.includes(SPECIAL) ? new Uint8Array() : own;
    const name = tokenizer.tokenText(token);
    if (name === "" || eosTokenIds.includes(token)) return own;
    special.set(name, token);
    return specialBytes(token);
  });
  return {
    vocabSize,
    eosTokenIds,
    tokenBytes: (token) => bytes[token] ?? new Uint8Array(),
    encode: (text) => tokenizer.encode(text),
    specialTokens: special,
    marker(expressions, marker) {
      const token = special.get(marker);
      return expressions.literal(token === undefined ? marker : specialBytes(token));
    },
  };
}

function specialBytes(token: TokenId): Uint8Array {
  return Uint8Array.of(SPECIAL, token >> 16, (token >> 8) & 255, token & 255);
}
