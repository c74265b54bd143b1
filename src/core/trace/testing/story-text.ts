/**
 * A story in the manner of TinyStories, written for these tests, and its pieces: short, like the tokens of the bundled model's
 * 512-token vocabulary.
 */
import type { TraceToken } from "../format/format.ts";

export const story = `, there was a little boy named Sam. Sam had a small red kite that his grandma made for him. Every morning he ran up the hill behind his house and let the kite fly high in the sky. One day, the wind was very strong. It pulled and pulled, and the string slipped out of his hand. "Oh no!" said Sam. "My kite is gone!" He felt sad and sat down on the grass. A gray bird came and sat next to him. "Why do you cry?" asked the bird. "My kite flew away and I do not know where it is," said Sam. The bird said, "Do not be sad. I can fly. I will help you look for it." The bird went up and up until she was just a dot. Sam waited. He counted the clouds and ate a big green apple. Then the bird came back. "I saw it! It is in the old tree near the pond," she said. They went to the tree together. The kite was on a branch that was too high for Sam. The bird pulled the string with her beak, and the kite fell down into his arms. Sam was so happy that he jumped. "Thank you, my friend," he said. He gave the bird some of his apple. From that day on, they played on the hill every day.`;

const pieces =
  '▁the ▁and ▁was ▁to ▁a ▁he ▁she ▁it ▁his ▁her ▁in ▁of ▁on ▁said ▁with ▁Sam ▁bird ▁day ▁up ▁s ▁w ▁b ▁h ▁f ▁m ▁p ▁c ▁d ▁l ▁g ▁t ▁n ▁k ▁k ▁r ▁T ▁S ▁H ▁I ▁O ▁" ▁is ▁do ▁not ▁you ▁for ▁so ▁that ▁th ▁wh ▁ha ▁be ▁pl ▁fr ▁they ▁The ▁He ▁They ▁One ▁sa ▁lo ▁big ▁very ▁little ed ing er it at in an en ou on ay or ar le ll om ow ve ke nd ch st re ter ime ame ight ea oo ug ut un ir il ad ot ur om id gh y ite ig is al as es'.split(
    " ",
  );
const table = [...new Set(pieces)]
  .map((piece) => piece.replace("▁", " "))
  .sort((a, b) => b.length - a.length);

/** Token ids: pieces from 3 on, ordered by length, then single characters. */
function tokenId(text: string): number {
  const place = table.indexOf(text);
  return place >= 0 ? place + 3 : 259 + ((text.codePointAt(0) ?? 0) % 253);
}

/** Splits a text into pieces, the longest possible piece first. */
export function pieceTokens(text: string): TraceToken[] {
  const tokens: TraceToken[] = [];
  let rest = text;
  while (rest.length > 0) {
    const found =
      table.find((piece) => rest.startsWith(piece)) ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    tokens.push({ token: tokenId(found), text: found });
    rest = rest.slice(found.length);
  }
  return tokens;
}

/** Every piece as a token, for alternatives. */
export const allPieces: readonly TraceToken[] = table.map((text) => ({ token: tokenId(text), text }));
