/** Gallery: reasoning. */
import injectReasoningEnd from "../inject-reasoning-end.ts?raw";
import injectReasoningMiddle from "../inject-reasoning-middle.ts?raw";
import injectReasoningStart from "../inject-reasoning-start.ts?raw";
import injectResponseEnd from "../inject-response-end.ts?raw";
import injectResponseMiddle from "../inject-response-middle.ts?raw";
import injectResponseStart from "../inject-response-start.ts?raw";
import replaceEverywhere from "../replace-everywhere.ts?raw";
import replaceInReasoning from "../replace-in-reasoning.ts?raw";
import replaceInResponse from "../replace-in-response.ts?raw";
import { type Example, example, reasoningPrompt } from "./example.ts";

export const reasoningExamples: readonly Example[] = [
  example({
    name: "inject-reasoning-start",
    title: "First thought",
    description: "Writes the first thought of the model’s reasoning.",
    source: injectReasoningStart,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "inject-reasoning-middle",
    title: "Second thought",
    description: "Adds a fact to the reasoning after its first sentence.",
    source: injectReasoningMiddle,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 60,
  }),
  example({
    name: "inject-reasoning-end",
    title: "Last thought",
    description: "Adds one more thought just before the reasoning ends.",
    source: injectReasoningEnd,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "inject-response-start",
    title: "First words of the answer",
    description: "Begins the answer that follows the reasoning.",
    source: injectResponseStart,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "inject-response-middle",
    title: "In the middle of the answer",
    description: "Adds a sentence after the first sentence of the answer.",
    source: injectResponseMiddle,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "inject-response-end",
    title: "Last words of the answer",
    description: "When the answer ends, removes the end token and adds a sentence.",
    source: injectResponseEnd,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "replace-in-reasoning",
    title: "Replace in the reasoning",
    description: "Replaces a name in the reasoning; the answer may still use the old name.",
    source: replaceInReasoning,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "replace-in-response",
    title: "Replace in the answer",
    description: "Replaces a name in the answer; the reasoning may still use the old name.",
    source: replaceInResponse,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
  example({
    name: "replace-everywhere",
    title: "Replace everywhere",
    description: "Replaces a word in the reasoning and the answer, wherever it occurs.",
    source: replaceEverywhere,
    suggestedPrompt: reasoningPrompt,
    model: "instruct",
    maxTokens: 80,
  }),
];
