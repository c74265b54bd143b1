/**
 * Parts that a shared trace may lack. A decoded link lists its missing parts in its notes, and the trace model returns null for
 * their values.
 */

/** Parts of a trace that a link can leave out or round. A link holds a part by its place in this list: add at the end only. */
export const leftOutKinds = [
  "timings",
  "probabilities",
  "exactNumbers",
  "alternatives",
  "someAlternatives",
  "draws",
  "tokenIds",
  "prompt",
  "logs",
  "given",
  "vectors",
] as const;

export type LeftOut = (typeof leftOutKinds)[number];

/** A sentence for each part, for the person who opens the link. */
export const leftOutSentences: Readonly<Record<LeftOut, string>> = {
  timings: "This link has no times: every time and duration is 0.",
  probabilities: "This link has no probabilities or entropies.",
  exactNumbers: "Probabilities and entropies are approximate (≈).",
  alternatives: "This link has no alternatives to the chosen tokens.",
  someAlternatives: "This link has alternatives only where the model was in doubt or a mod acted.",
  draws: "This link has no random draws.",
  tokenIds: "This link has no token ids: every id is -1.",
  prompt: "The sender left the prompt out.",
  logs: "The sender left out what the mods logged.",
  given: "To verify what the mods read, open the run’s .trace file.",
  vectors: "To see the layers of a steered run, open its .trace file.",
};
