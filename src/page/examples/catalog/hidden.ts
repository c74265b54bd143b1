/** Gallery: hidden questions. */
import askWhenUnsure from "../ask-when-unsure.ts?raw";
import hiddenClassifier from "../hidden-classifier.ts?raw";
import hiddenQuestion from "../hidden-question.ts?raw";
import { type Example, example, oneUserMessage } from "./example.ts";

export const hiddenQuestions: readonly Example[] = [
  example({
    name: "hidden-question",
    title: "Ask a hidden question",
    description:
      "Asks the model in the middle of a story whom the story is about, and leaves the story unchanged.",
    source: hiddenQuestion,
  }),
  example({
    name: "hidden-classifier",
    title: "Hidden classifier",
    description: "Secretly asks whether the message is sad, and if so begins the reply with comfort.",
    source: hiddenClassifier,
    suggestedPrompt: oneUserMessage("My dog died yesterday."),
    model: "instruct",
    maxTokens: 96,
  }),
  example({
    name: "ask-when-unsure",
    title: "Ask when unsure",
    description: "Asks the user a question when the model becomes unsure of its next words.",
    source: askWhenUnsure,
    suggestedPrompt: oneUserMessage("Do the thing that we talked about, with the blue one."),
    model: "instruct",
    maxTokens: 100,
  }),
];
