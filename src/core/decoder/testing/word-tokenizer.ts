/** A tokenizer of a few words, longest match first, for tests of texts that end within a word. The last token ends a sequence. */
import type { Tokenizer } from "../../sdk/tokenizer.ts";

export function wordTokenizer(words: readonly string[]): Tokenizer {
  const end = words.length;
  const bytes = words.map((word) => new TextEncoder().encode(word));
  const none = new Uint8Array();
  const bytesOf = (token: number) => bytes[token] ?? none;
  const nextWord = (text: string): number => {
    let best = -1;
    for (const [token, word] of words.entries()) {
      if (text.startsWith(word) && word.length > (words[best]?.length ?? 0)) best = token;
    }
    if (best < 0) throw new RangeError(`No word begins ${JSON.stringify(text)}.`);
    return best;
  };
  return {
    vocabSize: end + 1,
    eosTokenIds: [end],
    encode(text) {
      const tokens: number[] = [];
      for (let rest = text; rest !== ""; rest = rest.slice(words[tokens.at(-1) ?? 0]?.length))
        tokens.push(nextWord(rest));
      return tokens;
    },
    decode: (tokens) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(
        Uint8Array.from(tokens.flatMap((token) => [...bytesOf(token)])),
      ),
    tokenText: (token) => (token === end ? "<end>" : (words[token] ?? "")),
    tokenBytes: bytesOf,
  };
}
