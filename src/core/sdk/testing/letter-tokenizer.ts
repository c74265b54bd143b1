/** A tokenizer small enough to read: token 0 ends a sequence, 1 to 26 are the letters, 27 is a space, 28 a full stop. */
import type { SpecialTokenMode, Tokenizer } from "../tokenizer.ts";

const letters = "abcdefghijklmnopqrstuvwxyz .";

const endName = (specialTokens: SpecialTokenMode = "text") => (specialTokens === "parse" ? "<end>" : "");

export const letterTokenizer: Tokenizer = {
  vocabSize: letters.length + 1,
  eosTokenIds: [0],
  encode: (text) => Array.from(text, (letter) => letters.indexOf(letter) + 1),
  decode: (tokens, options) =>
    tokens.map((token) => (token === 0 ? endName(options?.specialTokens) : letters[token - 1])).join(""),
  tokenText: (token) => (token === 0 ? "<end>" : (letters[token - 1] ?? "")),
  tokenBytes: (token) => new TextEncoder().encode(token === 0 ? "" : (letters[token - 1] ?? "")),
};
