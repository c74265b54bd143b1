/** What each mark in the text is called. What it means stands in the page's only legend (`app/read/mark-meanings.ts`). */
import { kindWords } from "../../core/trace/model/kind-words.ts";
import type { Mark } from "./ribbon/ribbon-cells.ts";

/** A mark that is counted for each mod. Words that were steered have it beside the mark of how they came. */
export type CountedMark = Extract<Mark, "forced" | "adjusted" | "removed" | "reinjected"> | "steered";

export const markWords: readonly { readonly mark: CountedMark; readonly word: string }[] = [
  { mark: "forced", word: kindWords.forced },
  { mark: "adjusted", word: kindWords.adjusted },
  { mark: "removed", word: "removed" },
  { mark: "reinjected", word: kindWords.reinjected },
  { mark: "steered", word: "steered" },
];
