/** Gallery: flows. */
import adventure from "../adventure.ts?raw";
import extractToJson from "../extract-to-json.ts?raw";
import planThenAnswer from "../plan-then-answer.ts?raw";
import sentimentFlow from "../sentiment-flow.ts?raw";
import { type Example, example, oneUserMessage } from "./example.ts";

export const flowExamples: readonly Example[] = [
  example({
    name: "adventure",
    title: "Adventure",
    description:
      "Leads the model through a story, and repeats a question until it has two different answers.",
    source: adventure,
    maxTokens: 96,
  }),
  example({
    name: "plan-then-answer",
    title: "Plan, then answer",
    description: "Asks for a plan of three points first; the answer follows it.",
    source: planThenAnswer,
    suggestedPrompt: oneUserMessage("How do I make tea?"),
    model: "instruct",
    maxTokens: 160,
  }),
  example({
    name: "sentiment-flow",
    title: "Answer a review",
    description: "Asks two hidden questions about a review, and answers it with one of four sentences.",
    source: sentimentFlow,
    suggestedPrompt: oneUserMessage("The soup was cold and the meat was raw."),
    model: "instruct",
    maxTokens: 160,
  }),
  example({
    name: "extract-to-json",
    title: "Extract to JSON",
    description: "Asks for name, age and job one after the other, and outputs only the JSON.",
    source: extractToJson,
    suggestedPrompt: oneUserMessage("Tom is 34 years old. He works at a school and teaches children."),
    model: "instruct",
    maxTokens: 160,
  }),
];
