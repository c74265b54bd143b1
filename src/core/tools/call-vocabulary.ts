/**
 * A tokenizer's vocabulary in which special tokens have bytes too: 0xFF, which no UTF-8 text has (RFC 3629), and the token's id.
 * So a language over bytes can ask for a special token, and no other token spells it.
 */
import type { TokenBytes } from "../masks/vocabulary/token-texts.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import type { WriteMarker } from "./format.ts";

const SPECIAL = 0xff;

export interface CallVocabulary extends TokenBytes {
  /** A marker: its special token, or its text where the tokenizer has none of that name. */
  readonly marker: WriteMarker;
  /** Special tokens by their names, without those that end a sequence. */
  readonly specialTokens: ReadonlyMap<string, TokenId>;
}

const vocabularies = new WeakMap<Tokenizer, CallVocabulary>();

/** Made once for a tokenizer. */
export function callVocabularyOf(tokenizer: Tokenizer): CallVocabulary {
  const known = vocabularies.get(tokenizer);
  if (known) return known;
  const made = createCallVocabulary(tokenizer);
  vocabularies.set(tokenizer, made);
  return made;
}

function createCallVocabulary(tokenizer: Tokenizer): CallVocabulary {
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
