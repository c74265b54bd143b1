/**
 * Makes untrusted text safe to show: signs replace characters that are invisible or that reorder their surroundings. The
 * characters are found by their Unicode properties, not by a list, so that none is forgotten.
 */

const signs: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "⇥", "\u007f": "␡" };
/** The most UTF-16 units of text in one cell. */
const longest = 80;

const emoji = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`;
/** Emoji sequences: characters that join two pictures, or choose how a picture looks, are part of the visible emoji. */
export const seen = String.raw`(?:${emoji})(?:\u200d${emoji})*|[#*0-9]\ufe0f\u20e3`;
/**
 * Matches the pair of characters that `isolateDirection` puts around a quoted text: `showInvisibleCharacters` runs on sentences with such quotes,
 * and must keep these two.
 */
const isolate = String.raw`\u2068(?=[^\u2066-\u2069]*\u2069)|\u2069(?<=\u2068[^\u2066-\u2069]*\u2069)`;
export const unseen = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]`;
const seenInSentence = new RegExp(`(${seen}|${isolate})|${unseen}`, "gu");
const anyUnseen = new RegExp(unseen, "u");

/**
 * A token's text in at most `most` UTF-16 units: signs for line breaks and control characters, and U+FFFD for every other
 * invisible character.
 */
export function showInvisibleCharacters(text: string, most = longest): string {
  const cut = text.length > most ? closed(`${cutAt(text, most - 1)}…`) : text;
  if (!anyUnseen.test(cut)) return cut;
  return cut.replace(seenInSentence, (character, picture: string | undefined) => {
    if (picture !== undefined) return picture;
    const code = character.charCodeAt(0);
    return signs[character] ?? (code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd");
  });
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** A text to be quoted in a sentence, isolated so that right-to-left text does not reorder the words after it. */
export function isolateDirection(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

/** Closes the isolation of a text that was cut inside an isolated text. */
function closed(cut: string): string {
  return /\u2068[^\u2066-\u2069]*$/.test(cut) ? `${cut}\u2069` : cut;
}

/** The label of a token whose bytes are only a part of a character and cannot be decoded. */
export const partOfCharacter = "part of a character";

/** Whether a token's text is only replacement characters (U+FFFD). */
export function isPartOfCharacter(text: string): boolean {
  return /^\ufffd+$/.test(text);
}

/** The beginning of a text, in at most `length` UTF-16 units and without half a character at its end. */
function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/** Removes invisible characters from a name. The joiners of emoji are removed too, because names do not need them. */
export function withoutInvisible(name: string): string {
  return name.replace(new RegExp(unseen, "gu"), "");
}
