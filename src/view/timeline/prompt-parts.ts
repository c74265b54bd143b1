/** The parts of a prompt that the page draws: texts and special tokens. */
import type { PrefilledRecord } from "../../core/trace/format/format.ts";

export interface PromptPart {
  readonly text: string;
  readonly isSpecial: boolean;
}

/**
 * The most UTF-16 units of a prompt that are drawn, and the most special tokens that are marked: a recording may come from a
 * stranger.
 */
const longestDrawn = 20_000;
const mostMarked = 200;

/** The prompt that the model read. Example: a special token `<|im_start|>`, the text "user\nHello", a special token `<|im_end|>`. */
export function promptParts(prefilled: PrefilledRecord | null): readonly PromptPart[] {
  const { tokens = [], special = [] } = prefilled ?? {};
  const marked = new Set(special.slice(0, mostMarked));
  return textsToPromptParts(tokens, (place) => marked.has(place));
}

/** Joins texts up to the limit. Each special token stays a part of its own. */
export function textsToPromptParts(
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
    plain += "… (the rest is not shown)";
    break;
  }
  endPlain();
  return parts;
}
