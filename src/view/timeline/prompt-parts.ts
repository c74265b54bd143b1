/** A prompt as far as the page draws it: texts and special tokens. */
import type { PrefilledRecord } from "../../core/trace/format/format.ts";

export interface PromptPart {
  readonly text: string;
  readonly isSpecial: boolean;
}

/** UTF-16 units of a prompt that are drawn, and special tokens that are marked: a recording may come from anybody. */
const longestDrawn = 20_000;
const mostMarked = 200;

/** The prompt that the model read. Example: a special token `<|im_start|>`, the text "user\nHello", a special token `<|im_end|>`. */
export function promptParts(prefilled: PrefilledRecord | null): readonly PromptPart[] {
  const { tokens = [], special = [] } = prefilled ?? {};
  const marked = new Set(special.slice(0, mostMarked));
  return joinedParts(tokens, (place) => marked.has(place));
}

/** Texts one after the other, as far as they are drawn. Each special text stays a part of its own. */
export function joinedParts(
  texts: readonly { readonly text?: string | undefined }[],
  isSpecialAt: (place: number) => boolean = () => false,
): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let plain = "";
  let room = longestDrawn;
  const endPlain = () => {
    if (plain !== "") parts.push({ text: plain, isSpecial: false });
    plain = "";
  };
  for (const [place, { text = "" }] of texts.entries()) {
    const drawn = text.slice(0, room);
    room -= drawn.length;
    if (isSpecialAt(place)) {
      endPlain();
      parts.push({ text: drawn, isSpecial: true });
    } else plain += drawn;
    if (drawn.length === text.length) continue;
    plain += "… (the record has more)";
    break;
  }
  endPlain();
  return parts;
}
