/** The meaning of each mark in the text: the page's only legend. */
import type { CountedMark } from "../../../view/timeline/mark-labels.ts";

export const markMeanings: Readonly<Record<CountedMark | "same", string>> = {
  forced: "a mod wrote it, not the model",
  adjusted: "a mod changed the probabilities, so another word was chosen",
  removed: "written, then deleted",
  reinjected: "a mod wrote it to replace removed words",
  asked: "a mod’s hidden question, and the model’s answer",
  moved: "the model’s answer to a hidden question, put into the text",
  same: "a mod changed the probabilities, and the same word was chosen",
  steered: "chosen while a mod steered the model’s layers",
};
