/** The meaning of each mark in the text: the page's only legend. */
import type { CountedMark } from "../../../view/timeline/mark-labels.ts";

export const markMeanings: Readonly<Record<CountedMark, string>> = {
  forced: "a mod wrote it; the model did not choose",
  adjusted: "a mod adjusted the probabilities, and another word was chosen",
  removed: "a mod or token healing removed it",
  reinjected: "a mod wrote it instead of removed words",
  asked: "a mod asked the model; question and answer are not in the text",
  moved: "the answer to a mod’s question, moved into the text",
  steered: "the model chose it while a mod added a vector to its inner state",
};
