/** The two gallery mods that a first visit finds: in a file of their own, as the page shows them before the gallery is opened. */
import plotTwistSource from "../plot-twist.ts?raw";
import swapNameSource from "../swap-name.ts?raw";
import { example, oneUserMessage } from "./example.ts";

export const swapName = example({
  name: "swap-name",
  title: "Swap a name",
  description: "Replaces the name Lily with Max wherever the model has written it.",
  source: swapNameSource,
  suggestedPrompt: oneUserMessage("Once upon a time, Lily and her mom went to the park."),
  maxTokens: 100,
});

export const plotTwist = example({
  name: "plot-twist",
  title: "Plot twist",
  description: "Forces a sentence after the second sentence: suddenly it rains.",
  source: plotTwistSource,
  maxTokens: 80,
});
