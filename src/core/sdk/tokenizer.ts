import type { TokenId } from "./request.ts";

/** "parse": names of special tokens in a text stand for these tokens. "text": a text has no special tokens. */
export type SpecialTokens = "parse" | "text";

/** The very tokenizer of the running model. Synchronous, the same inside and outside the sandbox. */
export interface Tokenizer {
  /** Number of rows of the model's logits: ids are in `[0, vocabSize)`. */
  readonly vocabSize: number;
  readonly eosTokenIds: readonly TokenId[];
  /**
   * Reads a text that stands in the middle of another one. Names of special tokens (as `<|im_end|>`) are text, and with
   * `specialTokens: "parse"` they are special tokens. `addSpecialTokens: true` reads a whole text as @huggingface/transformers
   * does: names are special tokens, and a tokenizer that begins each text with a special token adds this one.
   */
  encode(
    text: string,
    options?: { readonly specialTokens?: SpecialTokens; readonly addSpecialTokens?: boolean },
  ): TokenId[];
  /**
   * Bytes that do not form whole characters yet decode to U+FFFD. Special tokens are in the text by their names with
   * `specialTokens: "parse"`, so that `encode` with the same option gives the same tokens; unless given they are left out.
   */
  decode(tokens: readonly TokenId[], options?: { readonly specialTokens?: SpecialTokens }): string;
  /** One token as text, special tokens by their name. */
  tokenText(token: TokenId): string;
  /** The bytes that a token stands for; empty for special tokens. */
  tokenBytes(token: TokenId): Uint8Array;
}
