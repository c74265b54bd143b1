/** The runs of an experiment, and the order in which they are made. */
import type { Experiment } from "./experiment.ts";

/** One run: a mod set, a prompt, a value of the varied setting, and a seed, by their places in the experiment. */
export interface PlannedRun {
  /** The number of the run within its experiment: from 0, in the order of prompts, mod sets, values and seeds. */
  readonly number: number;
  readonly prompt: number;
  readonly modSet: number;
  /** 0 if no setting varies. */
  readonly value: number;
  readonly seed: number;
}

/** All runs, by their numbers. */
export function plannedRunsByNumber({
  prompts,
  modSets,
  variation,
  seeds,
}: Experiment): readonly PlannedRun[] {
  const runs: PlannedRun[] = [];
  const values = variation?.values.length ?? 1;
  for (let prompt = 0; prompt < prompts.length; prompt += 1)
    for (let modSet = 0; modSet < modSets.length; modSet += 1)
      for (let value = 0; value < values; value += 1)
        for (let seed = 0; seed < seeds.length; seed += 1)
          runs.push({ number: runs.length, prompt, modSet, value, seed });
  return runs;
}

/**
 * The runs in the order in which they are made; the order is always the same. All runs of a prompt follow one another, so the
 * model reads the prompt once. Prompts are ordered by their text: neighbours share the longest beginnings, and the KV cache
 * reuses a shared beginning. Within a prompt, the runs of a mod set follow one another, because a mod may change the prompt.
 */
export function plannedRunsInOrder(experiment: Experiment): readonly PlannedRun[] {
  const texts = experiment.prompts.map(({ messages }) => JSON.stringify(messages));
  const order = texts.map((_, prompt) => prompt).sort((a, b) => compare(texts[a], texts[b]) || a - b);
  const place = new Map(order.map((prompt, at) => [prompt, at]));
  return plannedRunsByNumber(experiment).toSorted(
    (a, b) => (place.get(a.prompt) ?? 0) - (place.get(b.prompt) ?? 0) || a.number - b.number,
  );
}

/** Compares by code units and not by the rules of a language, so that the order is the same on every machine. */
function compare(a = "", b = ""): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
