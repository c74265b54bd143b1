/** The name of each mark in the text. The page's only legend explains the marks (`app/read/mark-meanings.ts`). */
import { kindLabels } from "../../core/trace/model/kind-labels.ts";
import type { TokenMark } from "./ribbon/ribbon-cells.ts";

/** A mark that is counted for each mod. A steered word has the mark `steered` in addition to its other mark. */
export type CountedMark = Exclude<TokenMark, "plain" | "same" | "end"> | "steered";

/** The mark `same`: a mod adjusted the probabilities, and the same word was chosen. */
export const sameMarkLabel = "adjusted, same word";

export const markLabels: readonly { readonly mark: CountedMark; readonly word: string }[] = [
  { mark: "forced", word: kindLabels.forced },
  { mark: "adjusted", word: kindLabels.adjusted },
  { mark: "removed", word: "removed" },
  { mark: "reinjected", word: kindLabels.reinjected },
  { mark: "asked", word: "asked" },
  { mark: "moved", word: kindLabels.moved },
  { mark: "steered", word: "steered" },
];
