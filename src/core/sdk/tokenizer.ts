import type { TokenId } from "./request.ts";

/** "parse": names of special tokens in a text stand for these tokens. "text": a text has no special tokens. */
export type SpecialTokenMode = "parse" | "text";

/** The tokenizer of the running model. Synchronous; the same inside and outside the sandbox. */
export interface Tokenizer {
  /** Number of rows of the model's logits: ids are in `[0, vocabSize)`. */
  readonly vocabSize: number;
  readonly eosTokenIds: readonly TokenId[];
  /**
   * Encodes a part of a longer text. Names of special tokens (such as `<|im_end|>`) are plain text, or special tokens with
   * `specialTokens: "parse"`. `addSpecialTokens: true` encodes a whole text as @huggingface/transformers does: names are
   * special tokens, and the special token that begins the model's texts, if any, is added.
   */
  encode(
    text: string,
    options?: { readonly specialTokens?: SpecialTokenMode; readonly addSpecialTokens?: boolean },
  ): TokenId[];
  /**
   * Decodes tokens; bytes that form no whole character become U+FFFD. Special tokens are left out; with `specialTokens:
   * "parse"` their names are written, so that `encode` with the same option returns the same tokens.
   */
  decode(tokens: readonly TokenId[], options?: { readonly specialTokens?: SpecialTokenMode }): string;
  /** One token as text, special tokens by their name. */
  tokenText(token: TokenId): string;
  /** The bytes that a token stands for; empty for special tokens. */
  tokenBytes(token: TokenId): Uint8Array;
}
