/** Random values of the cut-offs, for tests that compare a draw with the sampler. The compiler asks for values of every cut-off. */
import fc from "fast-check";
import { type CutOffName, cutOffNames, samplingNumbers } from "../../base/sampling.ts";

/** Values at which a cut-off leaves out some tokens. */
export const cutOffValues: Readonly<Record<CutOffName, fc.Arbitrary<number>>> = {
  topK: fc.constantFrom(1, 3, 5, 8, 25, 60),
  topP: fc.constantFrom(0.2, 0.3, 0.6, 0.9, 0.95),
  minP: fc.constantFrom(0.02, 0.05, 0.3, 0.5),
};

/** A value for every cut-off. Each one is off in half of the settings. */
export const randomCutOffs: fc.Arbitrary<Readonly<Record<CutOffName, number>>> = fc.record(
  Object.fromEntries(
    cutOffNames.map((name) => [
      name,
      fc.oneof(fc.constant(samplingNumbers[name].neutral), cutOffValues[name]),
    ]),
  ) as Record<CutOffName, fc.Arbitrary<number>>,
);
