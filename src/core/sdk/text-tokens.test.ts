/** The tokens that a text in an edit of logits stands for. */
import { expect, test } from "vitest";
import { createTokenizer } from "../tokenizer/create-tokenizer.ts";
import { repositoryTokenizerData } from "../tokenizer/testing/repository-tokenizers.ts";
import { firstTokensOfEncodings, tokensThatCompleteText } from "./text-tokens.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** "😁" has two tokens, of two bytes each. */
const pieces = [
  "<end>",
  "Lily",
  " Lily",
  " L",
  "L",
  "ily",
  "ily's",
  " big",
  "lily",
  " ",
  "\u00f0\u009f",
  "\u0098\u0081",
];
const bytes = pieces.map((piece, token) =>
  token === 0 ? new Uint8Array() : Uint8Array.from(piece, (each) => each.charCodeAt(0)),
);
const tokenizer: Tokenizer = {
  vocabSize: pieces.length,
  eosTokenIds: [0],
  encode(text) {
    const begun = pieces.filter((piece, token) => token > 0 && text.startsWith(piece));
    const longest = begun.sort((one, other) => other.length - one.length)[0] ?? "<end>";
    return [pieces.indexOf(longest)];
  },
  decode: (tokens) => tokens.map((token) => pieces[token]).join(""),
  tokenText: (token) => pieces[token] ?? "",
  tokenBytes: (token) => bytes[token] ?? new Uint8Array(),
};
const completing = (text: string, output: string[] = []) =>
  tokensThatCompleteText(
    text,
    output.map((piece) => pieces.indexOf(piece)),
    tokenizer,
  ).map((token) => pieces[token]);

test.each<[string, string[], string[]]>([
  ["Lily", [], ["Lily", " Lily"]],
  // With either spelling of the beginning.
  ["Lily", [" L"], ["Lily", " Lily", "ily", "ily's"]],
  ["Lily", ["L"], ["Lily", " Lily", "ily", "ily's"]],
  [" Lily", ["L"], [" Lily"]],
  [" Lily", [" ", "L"], [" Lily", "ily", "ily's"]],
  ["lily", [" L"], ["lily"]],
  ["Lily big", [" L", "ily"], [" big"]],
  // A special token ends the text before it.
  ["Lily", ["L", "<end>"], ["Lily", " Lily"]],
  ["😁", [], []],
  ["😁", [" big", "\u00f0\u009f"], ["\u0098\u0081"]],
])("%s after %j is completed by %j", (text, output, expected) => {
  expect(completing(text, output)).toEqual(expected);
});

test("the tokens that begin a text, with and without a space", () => {
  const beginning = (text: string) => firstTokensOfEncodings(text, tokenizer).map((token) => pieces[token]);
  expect(beginning("L")).toEqual(["L", " L"]);
  expect(beginning(" big")).toEqual([" big"]);
  // The first token of " lily" is only a space, which could begin any word.
  expect(beginning("lily")).toEqual(["lily"]);
});

test.each(["stories260k", "smollm2-135m"] as const)(
  "the index of %s finds the tokens that a search of each token finds",
  (name) => {
    const real = createTokenizer(repositoryTokenizerData(name));
    const bytesOf = (token: number) => String.fromCharCode(...real.tokenBytes(token));
    const all = Array.from({ length: real.vocabSize }, (_, token) => bytesOf(token));
    for (const text of ["Lily", " the", "e", "é", "日本", "\n\n", "little girl"]) {
      const wanted = String.fromCharCode(...new TextEncoder().encode(text));
      for (const output of [[], real.encode("a lit"), real.encode("L"), real.encode(text).slice(0, 1)]) {
        const end = output.map((token) => all[token]).join("");
        const completes = (own: string) => {
          if (own.includes(wanted)) return true;
          const isRest = (length: number) =>
            end.endsWith(wanted.slice(0, length)) && own.startsWith(wanted.slice(length));
          return Array.from({ length: wanted.length - 1 }, (_, place) => place + 1).some(isRest);
        };
        const expected = all.flatMap((own, token) => (completes(own) ? [token] : []));
        const found = [...new Set(tokensThatCompleteText(text, output, real))].sort((a, b) => a - b);
        expect(found).toEqual(expected);
      }
    }
  },
);
