/** The gallery: complete mods, shown in the editor as text. Each does what it says on the model it names. */

import { activations } from "./catalog/activations.ts";
import { begin } from "./catalog/begin.ts";
import type { Example } from "./catalog/example.ts";
import { flows } from "./catalog/flows.ts";
import { hidden } from "./catalog/hidden.ts";
import { inject } from "./catalog/inject.ts";
import { reasoning } from "./catalog/reasoning.ts";
import { replace } from "./catalog/replace.ts";
import { steer } from "./catalog/steer.ts";
import { structured } from "./catalog/structured.ts";
import { tools } from "./catalog/tools.ts";

export type { Example } from "./catalog/example.ts";

/** In the order in which they are best learned. */
export const exampleGroups: readonly { readonly title: string; readonly examples: readonly Example[] }[] = [
  { title: "Start here", examples: begin },
  { title: "Adjust the odds", examples: steer },
  { title: "Put words in", examples: inject },
  { title: "Take words back", examples: replace },
  { title: "Reasoning", examples: reasoning },
  { title: "Structured answers", examples: structured },
  { title: "Hidden questions", examples: hidden },
  { title: "Flows", examples: flows },
  { title: "Tools", examples: tools },
  { title: "Inside the pass", examples: activations },
];

export const examples: readonly Example[] = exampleGroups.flatMap(({ examples: each }) => each);
