/** Gallery: put words in. */
import fakeToolResult from "../fake-tool-result.ts?raw";
import happyEnding from "../happy-ending.ts?raw";
import injectAfterTokens from "../inject-after-tokens.ts?raw";
import startWith from "../start-with.ts?raw";
import steerToBooks from "../steer-to-books.ts?raw";
import thinkFirst from "../think-first.ts?raw";
import waitAMinute from "../wait-a-minute.ts?raw";
import { type Example, example, oneUserMessage, skyBluePrompt } from "./example.ts";
import { plotTwist } from "./first-visit.ts";

export const insertionExamples: readonly Example[] = [
  example({
    name: "start-with",
    title: "Start with your words",
    description: "Forces the first sentence; the model continues from there.",
    source: startWith,
  }),
  example({
    name: "inject-after-tokens",
    title: "After a number of tokens",
    description: "Forces a sentence after the eleventh token.",
    source: injectAfterTokens,
  }),
  plotTwist,
  example({
    name: "wait-a-minute",
    title: "Wait a minute",
    description:
      "When the model ends its answer, removes the end token once and makes the model think again.",
    source: waitAMinute,
    suggestedPrompt: skyBluePrompt,
    model: "instruct",
    maxTokens: 48,
  }),
  example({
    name: "happy-ending",
    title: "Happy ending",
    description: "When the model ends its story, removes the end token and writes a happy ending.",
    source: happyEnding,
    suggestedPrompt: oneUserMessage("Once upon a time, there was a brave dog"),
    maxTokens: 240,
  }),
  example({
    name: "think-first",
    title: "Think first",
    description: "Begins the answer with a step-by-step solution that the model must continue.",
    source: thinkFirst,
    suggestedPrompt: oneUserMessage("What is 12 plus 5?"),
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "fake-tool-result",
    title: "A made-up tool result",
    description: "Begins with an unfinished tool result: the model completes the result and believes it.",
    source: fakeToolResult,
    suggestedPrompt: oneUserMessage("Recommend me a movie."),
    model: "instruct",
  }),
  example({
    name: "steer-to-books",
    title: "Change the subject",
    description: "Interrupts after the second sentence: a book is better than a movie.",
    source: steerToBooks,
    suggestedPrompt: oneUserMessage("What should I do this evening? Recommend a movie."),
    model: "instruct",
    maxTokens: 80,
  }),
];
