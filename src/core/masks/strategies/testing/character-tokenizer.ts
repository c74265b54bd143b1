/** A tokenizer with one token for each character, as the tables of the specification have it. Token 0 ends a sequence. */
import type { ConstraintState } from "../../masks/constraint.ts";
import type { TokenBytes } from "../../vocabulary/token-texts.ts";

const characters = [
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,._-[](){}<>/\"'\\+:;!?=*\n\té中🙂",
];

export const characterTokenizer: TokenBytes = {
  vocabSize: characters.length + 1,
  eosTokenIds: [0],
  tokenBytes: (token) => new TextEncoder().encode(token === 0 ? "" : characters[token - 1]),
  encode: (text) => Array.from(text, tokenOf),
};

export function tokenOf(character: string): number {
  const index = characters.indexOf(character);
  if (index < 0) throw new Error(`The tokenizer of the tests has no ${JSON.stringify(character)}.`);
  return index + 1;
}

/** The characters that may come next, in the order of the alphabet above. */
export function allowedCharacters(state: ConstraintState): string {
  const mask = state.mask();
  return characters
    .filter((_, index) => (((mask[(index + 1) >> 5] ?? 0) >>> ((index + 1) & 31)) & 1) === 1)
    .join("");
}
