/** The gallery: complete mods, shown in the editor as text. Each does what it says on the model it names. */

import { activationExamples } from "./catalog/activations.ts";
import { templateExamples } from "./catalog/begin.ts";
import type { Example } from "./catalog/example.ts";
import { flowExamples } from "./catalog/flows.ts";
import { hiddenQuestions } from "./catalog/hidden.ts";
import { insertionExamples } from "./catalog/inject.ts";
import { reasoningExamples } from "./catalog/reasoning.ts";
import { replacementExamples } from "./catalog/replace.ts";
import { probabilityExamples } from "./catalog/steer.ts";
import { structuredAnswerExamples } from "./catalog/structured.ts";
import { toolExamples } from "./catalog/tools.ts";

export type { Example } from "./catalog/example.ts";

/** In the order in which they are best learned; templates, which change nothing, come last. */
export const exampleGroups: readonly { readonly title: string; readonly examples: readonly Example[] }[] = [
  { title: "Change probabilities", examples: probabilityExamples },
  { title: "Insert words", examples: insertionExamples },
  { title: "Replace words", examples: replacementExamples },
  { title: "Reasoning", examples: reasoningExamples },
  { title: "Structured answers", examples: structuredAnswerExamples },
  { title: "Hidden questions", examples: hiddenQuestions },
  { title: "Flows", examples: flowExamples },
  { title: "Tools", examples: toolExamples },
  { title: "Layers", examples: activationExamples },
  { title: "Templates", examples: templateExamples },
];

export const examples: readonly Example[] = exampleGroups.flatMap(({ examples: each }) => each);
