import type { TokenId } from "./request.ts";

/** The very tokenizer of the running model. Synchronous, the same inside and outside the sandbox. */
export interface Tokenizer {
  /** Number of rows of the model's logits: ids are in `[0, vocabSize)`. */
  readonly vocabSize: number;
  readonly eosTokenIds: readonly TokenId[];
  /** No special tokens are added unless asked; none written in the text are recognised unless asked. */
  encode(text: string, options?: { readonly addSpecialTokens?: boolean }): TokenId[];
  /** Bytes that do not form whole characters yet decode to U+FFFD. Special tokens are skipped unless `special` is true. */
  decode(tokens: readonly TokenId[], options?: { readonly special?: boolean }): string;
  /** One token as text, special tokens by their name. */
  tokenText(token: TokenId): string;
  /** The bytes that a token stands for; empty for special tokens. */
  tokenBytes(token: TokenId): Uint8Array;
}
