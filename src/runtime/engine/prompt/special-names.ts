/**
 * Finds names of special tokens in texts by people, and replaces each name's first character with a private character, so
 * that the tokenizer sees no special token. The text keeps its length for the chat template.
 */
import { isRecord } from "../../../core/base/record.ts";
import { PromptError } from "./prompt-error.ts";

/**
 * "names" finds complete names. The other two also find positions where a name might begin, in case the template joins or
 * cuts texts: "beginnings" the first two characters of a name, "characters" the first character.
 */
export type SpecialNameSearch = "names" | "beginnings" | "characters";

/** Replaces characters with private characters, and back. */
export class PrivateCharacters {
  readonly #used: ReadonlySet<string>;
  readonly #ofCharacter = new Map<string, string>();
  readonly #originals = new Map<string, string>();
  #next = firstPrivate;

  /** @param texts whose own private characters are not used as replacements */
  constructor(texts: readonly string[]) {
    this.#used = new Set(texts.flatMap((text) => text.match(anyPrivate) ?? []));
  }

  /** A new private character that replaces `original`; null if none is left. */
  create(original: string): string | null {
    while (this.#next <= lastPrivate) {
      const made = String.fromCharCode(this.#next++);
      if (this.#used.has(made)) continue;
      this.#originals.set(made, original);
      return made;
    }
    return null;
  }

  /** The private character that replaces `original`, always the same. @throws PromptError if none is left */
  standFor(original: string): string {
    const privateCharacter = this.#ofCharacter.get(original) ?? this.create(original);
    if (privateCharacter === null) {
      throw new PromptError(
        "The messages use all 6,400 private-use characters of Unicode (U+E000 to U+F8FF), but Midtoken needs an unused one: remove one of these characters from the messages.",
      );
    }
    this.#ofCharacter.set(original, privateCharacter);
    return privateCharacter;
  }

  /** Replaces the private characters with the originals. */
  restore = (text: string): string => text.replace(anyPrivate, (made) => this.#originals.get(made) ?? made);
}

const firstPrivate = 0xe000;
const lastPrivate = 0xf8ff;
const anyPrivate = /[\ue000-\uf8ff]/g;

/**
 * Searches the names of one kind of tokens. Some tokenizers look for special tokens in normalized text: under NFKC, `＜s＞`
 * becomes the name `<s>`. So names are searched in the text and in the text with each character normalized.
 */
export class SpecialNames {
  readonly #normalized: NormalizeText | null;
  readonly #names: ReadonlySet<string>;
  readonly #beginnings: ReadonlySet<string>;
  readonly #lengths: readonly number[];
  readonly #firstCharacters: RegExp | null;

  constructor(given: readonly string[], normalized: NormalizeText | null = null) {
    const names = normalized ? given.flatMap((name) => [name, normalized(name)]) : given;
    this.#normalized = normalized;
    this.#names = new Set(names);
    this.#beginnings = new Set(names.map((name) => name.slice(0, 2)));
    this.#lengths = [...new Set(names.map(({ length }) => length))];
    const first = new Set(names.map((name) => escaped(name.charAt(0))));
    this.#firstCharacters = first.size > 0 ? new RegExp(`[${[...first].join("")}]`, "g") : null;
  }

  /** Positions in the text where a name begins, or might begin. */
  placesIn(text: string, search: SpecialNameSearch): number[] {
    const places = this.#placesIn(text, search);
    const changed = this.#normalized && normalizedByCharacter(text, this.#normalized);
    if (!changed || changed.text === text) return places;
    const others = this.#placesIn(changed.text, search).map((place) => changed.origins[place] ?? 0);
    return [...new Set([...places, ...others])].sort((one, other) => one - other);
  }

  #placesIn(text: string, search: SpecialNameSearch): number[] {
    if (this.#firstCharacters === null) return [];
    const places: number[] = [];
    for (const { index } of text.matchAll(this.#firstCharacters)) {
      if (this.#isFound(text, index, search)) places.push(index);
    }
    return places;
  }

  #isFound(text: string, at: number, search: SpecialNameSearch): boolean {
    if (search === "characters") return true;
    // The name may continue in another text.
    if (search === "beginnings" && at === text.length - 1) return true;
    if (search === "beginnings" && this.#beginnings.has(text.slice(at, at + 2))) return true;
    return this.#lengths.some((length) => this.#names.has(text.slice(at, at + length)));
  }
}

type NormalizeText = (text: string) => string;

/** The text with each character normalized, and for each position in it the position in the original text. */
function normalizedByCharacter(
  text: string,
  normalized: NormalizeText,
): { readonly text: string; readonly origins: readonly number[] } {
  const normalizedByText = new Map<string, string>();
  const origins: number[] = [];
  let result = "";
  let place = 0;
  for (const character of text) {
    const normalizedCharacter = normalizedByText.get(character) ?? normalized(character);
    normalizedByText.set(character, normalizedCharacter);
    for (let unit = 0; unit < normalizedCharacter.length; unit++) origins.push(place);
    result += normalizedCharacter;
    place += character.length;
  }
  return { text: result, origins };
}

/** Ranges of a text in which names are not replaced. */
type TextRanges = readonly { readonly from: number; readonly to: number }[];

/** The positions of names in a text. An assistant's text may contain reasoning marks: names in these marks are left out. */
export function placesOfNames(
  text: string,
  names: SpecialNames,
  search: SpecialNameSearch,
  marks: readonly string[] = [],
): number[] {
  const places = names.placesIn(text, search);
  if (places.length === 0 || marks.length === 0) return places;
  const ranges = rangesOf(text, marks);
  return places.filter((place) => !ranges.some(({ from, to }) => place >= from && place < to));
}

function rangesOf(text: string, marks: readonly string[]): TextRanges {
  return marks.flatMap((mark) => {
    const ranges: { from: number; to: number }[] = [];
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      ranges.push({ from: at, to: at + mark.length });
    }
    return ranges;
  });
}

/** Replaces the characters at these positions. */
export function replaceAt(text: string, places: readonly number[], characters: PrivateCharacters): string {
  let replaced = "";
  let from = 0;
  for (const place of places) {
    replaced += text.slice(from, place) + characters.standFor(text.charAt(place));
    from = place + 1;
  }
  return replaced + text.slice(from);
}

/** A copy of plain data with every text changed, including the keys of objects. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [change(key), mapTexts(entry, change)]),
  );
}

function escaped(character: string): string {
  return /[\\\]^-]/.test(character) ? `\\${character}` : character;
}
