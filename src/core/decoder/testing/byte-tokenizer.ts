/** A tokenizer without files: token n is the byte n, 256 ends a sequence. So "a" is 97 and "é" is two tokens. */
import type { TokenId } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";

export const END: TokenId = 256;

const endName = "<end>";

function bytesOf(tokens: readonly TokenId[], special: boolean): number[] {
  return tokens.flatMap((token) => {
    if (!Number.isInteger(token) || token < 0 || token > END) throw new RangeError(`No token ${token}.`);
    if (token < END) return [token];
    return special ? [...new TextEncoder().encode(endName)] : [];
  });
}

export const byteTokenizer: Tokenizer = {
  vocabSize: 257,
  eosTokenIds: [END],
  encode: (text) => [...new TextEncoder().encode(text)],
  decode: (tokens, options) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(bytesOf(tokens, options?.specialTokens === "parse")),
    ),
  tokenText: (token) => byteTokenizer.decode([token], { specialTokens: "parse" }),
  tokenBytes: (token) => Uint8Array.from(bytesOf([token], false)),
};

/**
 * Logits of a model that recites: after "c" it says "d", after "z" it ends. The next letter has logit 10, the one after it
 * 9, all else 0. The logits show which token the model read last.
 */
export function alphabetLogits(context: readonly TokenId[]): Float32Array {
  const logits = new Float32Array(257);
  const last = context.at(-1) ?? 96;
  const after = (token: TokenId): TokenId => {
    if (token === 122 || token === 90) return END;
    return token === END ? 97 : (token + 1) % 256;
  };
  logits[after(last)] = 10;
  logits[after(after(last))] = 9;
  return logits;
}
