/**
 * Token text as it is drawn: invisible characters get a sign, characters that would disturb the text around them are
 * replaced, and overlong texts are cut.
 */
const signs: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "⇥" };
/** Longest text of one cell, in UTF-16 units. */
const longest = 80;

/** Control characters become control pictures, bidirectional controls (which reorder what follows them) U+FFFD. */
export function visibleText(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return cut.replace(/[\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    return signs[character] ?? (code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd");
  });
}
