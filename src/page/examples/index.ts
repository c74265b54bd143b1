/** The gallery: complete mods, shown in the editor as text. Each does what it says on the model it names. */

import { activations } from "./catalog/activations.ts";
import { templateExamples } from "./catalog/begin.ts";
import type { Example } from "./catalog/example.ts";
import { flows } from "./catalog/flows.ts";
import { hiddenQuestions } from "./catalog/hidden.ts";
import { inject } from "./catalog/inject.ts";
import { reasoning } from "./catalog/reasoning.ts";
import { replace } from "./catalog/replace.ts";
import { probabilityExamples } from "./catalog/steer.ts";
import { structured } from "./catalog/structured.ts";
import { tools } from "./catalog/tools.ts";

export type { Example } from "./catalog/example.ts";

/** In the order in which they are best learned; templates, which change nothing, come last. */
export const exampleGroups: readonly { readonly title: string; readonly examples: readonly Example[] }[] = [
  { title: "Change probabilities", examples: probabilityExamples },
  { title: "Insert words", examples: inject },
  { title: "Replace words", examples: replace },
  { title: "Reasoning", examples: reasoning },
  { title: "Structured answers", examples: structured },
  { title: "Hidden questions", examples: hiddenQuestions },
  { title: "Flows", examples: flows },
  { title: "Tools", examples: tools },
  { title: "Layers", examples: activations },
  { title: "Templates", examples: templateExamples },
];

export const examples: readonly Example[] = exampleGroups.flatMap(({ examples: each }) => each);
