/** Gallery: take words back. */
import changeItsMind from "../change-its-mind.ts?raw";
import doubleCheck from "../double-check.ts?raw";
import hideInformation from "../hide-information.ts?raw";
import renameHero from "../rename-hero.ts?raw";
import replaceInPrompt from "../replace-in-prompt.ts?raw";
import replacePhrase from "../replace-phrase.ts?raw";
import stopAtAnswer from "../stop-at-answer.ts?raw";
import { type Example, example, oneUserMessage, skyBluePrompt } from "./example.ts";
import { swapName } from "./first-visit.ts";

export const replacementExamples: readonly Example[] = [
  swapName,
  example({
    name: "replace-in-prompt",
    title: "Replace a phrase in the prompt",
    description: "Turns the little girl in the prompt into a brave dog before the model reads the prompt.",
    source: replaceInPrompt,
    suggestedPrompt: oneUserMessage("Once upon a time, there was a little girl"),
    maxTokens: 48,
  }),
  example({
    name: "hide-information",
    title: "Hide a part of the prompt",
    description: "Cuts the information block out before the model reads it, and shows it after the answer.",
    source: hideInformation,
    suggestedPrompt: oneUserMessage(
      "Tell me the secret number.\n<information>The secret number is 4711.</information>",
    ),
    model: "instruct",
    maxTokens: 60,
  }),
  example({
    name: "replace-phrase",
    title: "Replace a phrase",
    description: "Replaces “big, red ball” with a frog when the model has written it.",
    source: replacePhrase,
  }),
  example({
    name: "rename-hero",
    title: "Rename the hero",
    description: "Catches the name Lily before it is written, and writes Max.",
    source: renameHero,
  }),
  example({
    name: "change-its-mind",
    title: "Change its mind",
    description: "Takes back a No and makes the model argue for Yes.",
    source: changeItsMind,
    suggestedPrompt: skyBluePrompt,
    model: "instruct",
    maxTokens: 48,
  }),
  example({
    name: "double-check",
    title: "Double-check",
    description: "Takes back “the answer is” once, and makes the model check first.",
    source: doubleCheck,
    suggestedPrompt: oneUserMessage("What is 7 times 8? Explain, and finish with: the answer is"),
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "stop-at-answer",
    title: "Stop at the answer",
    description: "Ends the run as soon as the story mentions a name; the name is the whole output.",
    source: stopAtAnswer,
  }),
];
