/** The sentences about a step's layers: for a word that the model ranked first, that it ranked lower but chose, that a mod put there. */
import { expect, test } from "vitest";
import { describeLayerDecision, describeLayerDivergence } from "./layer-labels.ts";
import { findLayerDivergence, type StepLayers } from "./step-layers.ts";

const step = (firsts: readonly number[], ranks: readonly number[] = [], logprob = -1): StepLayers => ({
  vocabularySize: 512,
  lines: firsts.map((token, layer) => ({
    layer,
    top: [{ token, text: ` w${token}`, logprob }],
    entropy: 1,
    token: { rank: ranks[layer] ?? 0, logprob: -1 },
  })),
});

test.each<[string, StepLayers, boolean, string]>([
  ["late", step([1, 2, 7, 7]), false, "Decided at layer 2 (0 to 3): from there on “ w7” stays first."],
  [
    "in the last",
    step([1, 2, 3, 7]),
    false,
    "Decided at layer 3 (0 to 3): only the last layer ranks “ w7” first.",
  ],
  ["in all", step([7, 7]), false, "Decided from the first layer on: every layer puts “ w7” first."],
  [
    "behind another",
    step([7, 2, 2], [0, 4, 2]),
    false,
    "Drawn at rank 3. The last layer puts “ w2” first, decided at layer 1 (0 to 2).",
  ],
  [
    "behind one of the last layer alone",
    step([1, 1, 2], [0, 4, 1]),
    false,
    "Drawn at rank 2. The last layer puts “ w2” first, decided at the last layer.",
  ],
  [
    "put by a mod, another",
    step([2, 2, 2]),
    true,
    "Written by a mod. The model would have said “ w2”, decided from the first layer on.",
  ],
  [
    "put by a mod, the same",
    step([2, 7, 7]),
    true,
    "Written by a mod. The model ranks this token first as well, decided at layer 1 (0 to 2).",
  ],
  ["of no layers", step([]), false, "No layer was read."],
])("a word that is decided %s", (_how, layers, isForced, expected) => {
  const { stressed, rest } = describeLayerDecision(layers, { token: 7, text: " w7", isForced });
  expect(stressed + rest).toBe(expected);
});

test("an end of sequence without a text is shown by its sign", () => {
  expect(describeLayerDecision(step([7]), { token: 7, text: "", isForced: false }).rest).toContain("“¶”");
});

test.each<[string, readonly number[], readonly number[], string]>([
  ["not", [1, 2], [1, 2], "No difference. Every layer predicts the same with and without steering."],
  [
    "in words",
    [1, 2, 3],
    [1, 4, 5],
    "Steering changes the predictions from layer 1 on. From layer 1 on, different words are ranked first: “ w3” with steering, “ w5” without.",
  ],
])("a steered step and a plain one part %s", (_how, one, other, expected) => {
  const [ran, plain] = [step(one), step(other)];
  const lines = plain.lines.map((line, at) => (one[at] === other[at] ? line : { ...line, entropy: 2 }));
  const words = describeLayerDivergence(findLayerDivergence(ran.lines, lines), ran, { ...plain, lines });
  expect(words.stressed + words.rest).toBe(expected);
});

test("they part in the odds and say the same word in the end", () => {
  const [ran, plain] = [step([1, 2]), step([1, 2], [], -1.5)];
  const words = describeLayerDivergence(findLayerDivergence(ran.lines, plain.lines), ran, plain);
  expect(words.stressed + words.rest).toBe(
    "Steering changes the predictions from layer 0 on. The last layer still ranks “ w2” first.",
  );
});
