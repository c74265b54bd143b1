/** Experiments for tests. */
import fc from "fast-check";
import { defaultSampling } from "../../../core/base/sampling.ts";
import type { Experiment } from "../experiment.ts";
import type { RepeatableRunResult, RunOutcome } from "../outcome.ts";
import { plainSettings } from "./plain-settings.ts";

export const twoByTwo: Experiment = {
  name: "Two by two",
  model: "stories260k",
  modSets: [
    { name: "without", mods: [] },
    { name: "rename", mods: [{ name: "rename", source: "export default mod({});" }] },
  ],
  prompts: [
    { messages: [{ role: "user", content: "Once upon a time" }] },
    { messages: [{ role: "user", content: "One day" }] },
  ],
  seeds: [1, 2, 3],
  settings: plainSettings({ ...defaultSampling, temperature: 0.8 }, 16),
  variation: null,
  checks: [{ name: "a name", type: "text", text: "Lily", ignoreCase: false }],
};

export function sampleOutcome(number: number, result: Partial<RepeatableRunResult> = {}): RunOutcome {
  return {
    number,
    runId: `run-${number}`,
    result: {
      interventions: 1,
      tokens: 16,
      surprisal: 2,
      finishReason: "length",
      error: null,
      text: "Lily ran.",
      verdicts: [{ holds: true, problem: null }],
      promptTokens: 4,
      ...result,
    },
    cost: { forwardPasses: 17, reusedTokens: 0, prefillUs: 100, decodeUs: 4_000 },
  };
}

/** Experiments of a few runs, of any shape. */
export const someExperiment: fc.Arbitrary<Experiment> = fc
  .record({
    modSets: fc.integer({ min: 1, max: 3 }),
    prompts: fc.array(fc.string({ maxLength: 6 }), { minLength: 1, maxLength: 5 }),
    seeds: fc.uniqueArray(fc.nat(1_000), { minLength: 1, maxLength: 4 }),
    temperatures: fc.option(fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 })),
  })
  .map(({ modSets, prompts, seeds, temperatures }) => ({
    ...twoByTwo,
    modSets: Array.from({ length: modSets }, (_, at) => ({ name: `set ${at}`, mods: [] })),
    prompts: prompts.map((content) => ({ messages: [{ role: "user", content } as const] })),
    seeds,
    variation: temperatures && { setting: "temperature", values: temperatures },
  }));
