/** The meaning of each mark in the text: the page's only legend. */
import type { CountedMark } from "../../../view/timeline/mark-labels.ts";

export const markMeanings: Readonly<Record<CountedMark, string>> = {
  forced: "a mod wrote it, not the model",
  adjusted: "a mod changed the probabilities, and so the choice",
  removed: "taken out of the text again",
  reinjected: "a mod wrote it instead of removed words",
  asked: "a mod’s question and its answer, not in the text",
  moved: "the answer to a mod’s question, moved into the text",
  steered: "chosen while a mod steered the model",
};
