/** Random tokens and their texts for the conformance suite. */
import { uniformRandom } from "../../base/random.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Random choices: the same seed makes the same choices in the same order. */
export class SeededChooser {
  #index = 0;
  readonly #seed: number;
  constructor(seed: number) {
    this.#seed = seed;
  }
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(uniformRandom(this.#seed, this.#index++) * count);
  }
  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}

/** The text of the bytes; null if the bytes are not whole characters. */
export function decodeWholeCharacters(bytes: readonly number[]): string | null {
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

export function quoteText(text: string | null): string {
  return text === null ? "part of a character" : JSON.stringify(text);
}

export function tokensOfMask(mask: Uint32Array): number[] {
  const tokens: number[] = [];
  for (let word = 0; word < mask.length; word++) {
    for (let left = mask[word] as number; left !== 0; left &= left - 1)
      tokens.push(word * 32 + 31 - Math.clz32(left & -left));
  }
  return tokens;
}

/** The text after one to three random changes: a character is put in, taken out, replaced or doubled. */
export function mutateText(text: string, alphabet: readonly string[], draws: SeededChooser): string {
  let characters = [...text];
  for (let count = 1 + draws.below(3); count > 0; count--) {
    const at = draws.below(characters.length + 1);
    const replacement =
      [[draws.of(alphabet)], [], [characters[at] ?? "", characters[at] ?? ""]][draws.below(3)] ?? [];
    characters = [...characters.slice(0, at), ...replacement, ...characters.slice(at + draws.below(2))];
  }
  return characters.join("");
}
