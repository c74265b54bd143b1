/** What each mark in the text is called and what it means: the page's only legend. */
import { kindWords } from "../trace/kind-words.ts";
import type { Mark } from "./ribbon/ribbon-cells.ts";

export const markWords = [
  { mark: "forced", word: kindWords.forced, means: "a mod wrote it; the model did not choose" },
  {
    mark: "adjusted",
    word: kindWords.adjusted,
    means: "a mod adjusted the odds, and another word came out",
  },
  { mark: "removed", word: "removed", means: "the model wrote it; a mod took it back" },
  { mark: "reinjected", word: kindWords.reinjected, means: "what a mod wrote where it took words back" },
  { mark: "steered", word: "steered", means: "the model chose it while a mod steered its layers" },
] as const satisfies readonly { mark: Mark | "steered"; word: string; means: string }[];

/** A mark that is counted for each mod. */
export type CountedMark = (typeof markWords)[number]["mark"];
