/** Classes of whole characters: some ASCII characters, with all others that UTF-8 can write or none of them. */

export interface CharacterClass {
  /** Bit `c & 31` of word `c >> 5` for ASCII character c: four words. */
  readonly ascii: Uint32Array;
  /** Whether the class has all characters outside ASCII. */
  readonly wide: boolean;
  readonly key: string;
  /** The number of ASCII characters in the class; all other characters together count as 64. */
  readonly weight: number;
}

export function characterClass(ascii: Uint32Array, wide: boolean): CharacterClass {
  let weight = wide ? 64 : 0;
  for (let character = 0; character < 128; character++) if (hasCharacter(ascii, character)) weight++;
  return {
    ascii,
    wide,
    weight,
    key: `${Array.from(ascii, (word) => word.toString(36)).join(".")}${wide ? "w" : ""}`,
  };
}

export function hasCharacter(ascii: Uint32Array, character: number): boolean {
  return (((ascii[character >> 5] as number) >>> (character & 31)) & 1) === 1;
}

/** The characters that are in both classes. */
export function intersectCharacterClasses(a: CharacterClass, b: CharacterClass): CharacterClass {
  return characterClass(
    a.ascii.map((word, index) => word & (b.ascii[index] as number)),
    a.wide && b.wide,
  );
}

type Range = readonly [first: number, last: number];

const CONTINUATION: Range = [0x80, 0xbf];

/** The well-formed byte sequences of characters beyond ASCII (Unicode 16, table 3-7). */
export const wideCharacters: readonly (readonly Range[])[] = [
  [[0xc2, 0xdf], CONTINUATION],
  [[0xe0, 0xe0], [0xa0, 0xbf], CONTINUATION],
  [[0xe1, 0xec], CONTINUATION, CONTINUATION],
  [[0xed, 0xed], [0x80, 0x9f], CONTINUATION],
  [[0xee, 0xef], CONTINUATION, CONTINUATION],
  [[0xf0, 0xf0], [0x90, 0xbf], CONTINUATION, CONTINUATION],
  [[0xf1, 0xf3], CONTINUATION, CONTINUATION, CONTINUATION],
  [[0xf4, 0xf4], [0x80, 0x8f], CONTINUATION, CONTINUATION],
];

/** The state between two characters. Inside a character, the other states say which bytes may come. */
export const BETWEEN_CHARACTERS = 0;
/** The state after bytes that are not well-formed text. */
export const BROKEN_UTF8 = 255;

/** The next state of reading UTF-8, for state s and byte b at `s * 256 + b`. */
export const utf8Table: Uint8Array = makeUtf8Table();

function makeUtf8Table(): Uint8Array {
  const states = new Map<string, number>([["", BETWEEN_CHARACTERS]]);
  const table = new Uint8Array(256 * 16).fill(BROKEN_UTF8);
  const stateOf = (rest: readonly Range[]): number => {
    const key = rest.join(";");
    const known = states.get(key);
    if (known !== undefined) return known;
    const made = states.size;
    states.set(key, made);
    const [next, ...others] = rest;
    if (next) table.fill(stateOf(others), made * 256 + next[0], made * 256 + next[1] + 1);
    return made;
  };
  table.fill(BETWEEN_CHARACTERS, 0, 128);
  for (const [first, ...rest] of wideCharacters) {
    if (first) table.fill(stateOf(rest), first[0], first[1] + 1);
  }
  return table;
}

/** `utf8Table` without the characters that are not in the class. */
export function utf8TableOf({ ascii, wide }: CharacterClass): Uint8Array {
  const table = utf8Table.slice();
  for (let byte = 0; byte < 256; byte++) {
    if (byte < 128 ? !hasCharacter(ascii, byte) : !wide) table[byte] = BROKEN_UTF8;
  }
  return table;
}

/** Whether all characters of `part` are in `whole`. */
export function isWithin(part: CharacterClass, whole: CharacterClass): boolean {
  if (part.wide && !whole.wide) return false;
  return part.ascii.every((word, index) => (word & ~(whole.ascii[index] as number)) === 0);
}

/** Characters that need no escape in a JSON string, without DEL: no quote, backslash or control (RFC 8259, section 7). */
export const unescapedCharacters: CharacterClass = characterClass(
  Uint32Array.of(0, ~(1 << 2), ~(1 << 28), ~(1 << 31)),
  true,
);
