/** The texts about an experiment: its size, its progress, and a note on the confidence intervals of its table. */

import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import { type Experiment, runCount } from "../../experiments/experiment.ts";
import type { TableRow } from "../../experiments/table.ts";
import type { SavedExperiment } from "../../runs/experiment-repository.ts";

/** “4 mod sets × 10 prompts × 5 seeds”; with varied values also “× 3 values”. */
export function experimentSizeSentence({ experiment }: { readonly experiment: Experiment }): string {
  const { modSets, prompts, seeds, variation } = experiment;
  return [
    countWithNoun(modSets.length, "mod set"),
    countWithNoun(prompts.length, "prompt"),
    ...(variation ? [countWithNoun(variation.values.length, "value")] : []),
    countWithNoun(seeds.length, "seed"),
  ].join(" × ");
}

/** Explains the ranges in the table, or why a row has none. */
export function intervalNote(rows: readonly Pick<TableRow, "made">[]): string {
  const most = Math.max(0, ...rows.map(({ made }) => made));
  if (most < 2)
    return "Each row has one run, so the table has no confidence intervals. Use more seeds to get them.";
  const few = most === 2 ? " Two runs give very wide intervals: use more seeds." : "";
  return `± and the ranges are 95% confidence intervals: Student’s t for means, Wilson’s for shares. A row with one run has no interval.${few}`;
}

export function experimentStateLabel(
  { experiment, made, recorded }: SavedExperiment,
  isRunning: boolean,
): string {
  const all = runCount(experiment);
  if (recorded) return `${countWithNoun(made, "run")}, recorded elsewhere`;
  if (made >= all) return countWithNoun(all, "run");
  const done = `${formatCount(made)} of ${countWithNoun(all, "run")}`;
  if (isRunning) return `${done} …`;
  return made === 0 ? `0 of ${countWithNoun(all, "run")}` : `stopped at ${done}`;
}
