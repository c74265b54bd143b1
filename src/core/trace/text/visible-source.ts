/** Makes a mod's untrusted source safe to show for review. Apart from `visible-text.ts`, because a link is drawn without it. */
import { seen, unseen } from "./visible-text.ts";

const seenOrUnseen = new RegExp(`(${seen})|${unseen}`, "gu");

/** A mod's source as shown for review, and how many of its characters are shown as codes. */
export interface VisibleSource {
  readonly text: string;
  readonly hidden: number;
}

/** The whole source with its line breaks and tabs unchanged, and every other invisible character as its code: ⟨U+202E⟩. */
export function visibleSource(source: string): VisibleSource {
  const lines = source.replaceAll("\r\n", "\n");
  if (!/[^\n\t -~]/.test(lines)) return { text: lines, hidden: 0 };
  let hidden = 0;
  const text = lines.replace(seenOrUnseen, (character, picture: string | undefined) => {
    if (picture !== undefined || character === "\n" || character === "\t") return character;
    hidden += 1;
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return { text, hidden };
}
