/** Gathers runs and their outcomes into the rows of a table. */
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import type { Experiment } from "./experiment.ts";
import type { RunOutcome } from "./outcome.ts";
import { type PlannedRun, plannedRunsByNumber } from "./plan.ts";
import { temperatureOf } from "./request.ts";
import {
  estimateMean,
  estimateProportion,
  type MeanEstimate,
  type ProportionEstimate,
} from "./statistics.ts";

/**
 * The runs that a row gathers: the runs of a cell, which differ only in their seeds, or all runs of a mod set, prompt
 * or value.
 */
export type Grouping = "cell" | "modSet" | "prompt" | "value";

export interface CheckProportion extends ProportionEstimate {
  /** The number of outputs that could not be checked, and the reason for the first. */
  readonly unknown: number;
  readonly problem: string | null;
}

export interface TableRow {
  /** Places in the experiment; null if the row gathers all of them. */
  readonly modSet: number | null;
  readonly prompt: number | null;
  readonly value: number | null;
  /** Runs of the row, made or not, by their numbers. */
  readonly runs: readonly number[];
  readonly made: number;
  /** Runs that ended with an error. */
  readonly failed: number;
  readonly interventions: MeanEstimate;
  readonly tokens: MeanEstimate;
  /** Bits per token: the mean of the runs' means. */
  readonly surprisal: MeanEstimate;
  /** Each value with its count, the most frequent first. */
  readonly finishReasons: readonly (readonly [reason: FinishedRecord["reason"], count: number])[];
  /** In the order of the experiment's checks. */
  readonly checks: readonly CheckProportion[];
}

/** In the order of the experiment, whatever the order in which the runs were made. */
export function resultTableRows(
  experiment: Experiment,
  outcomes: readonly RunOutcome[],
  grouping: Grouping,
): readonly TableRow[] {
  const made = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  const groups = new Map<string, PlannedRun[]>();
  for (const run of plannedRunsByNumber(experiment)) {
    const key = keyOf(run, grouping);
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups.values()].map((runs) => rowOf(experiment, runs, made, grouping));
}

function keyOf({ modSet, prompt, value }: PlannedRun, grouping: Grouping): string {
  return grouping === "cell" ? [prompt, modSet, value].join() : String({ modSet, prompt, value }[grouping]);
}

function rowOf(
  experiment: Experiment,
  runs: readonly PlannedRun[],
  made: ReadonlyMap<number, RunOutcome>,
  grouping: Grouping,
): TableRow {
  const [first] = runs;
  const place = (name: "modSet" | "prompt" | "value") =>
    first && (grouping === "cell" || grouping === name) ? first[name] : null;
  const outcomes = runs.flatMap(({ number }) => made.get(number) ?? []);
  const seen = observationsOf(experiment, runs, made).map(({ result }) => result);
  const mean = (value: "interventions" | "tokens" | "surprisal") =>
    estimateMean(seen.map((result) => result[value]).filter((each) => each !== null));
  const reasons = new Map<FinishedRecord["reason"], number>();
  for (const { result } of outcomes)
    reasons.set(result.finishReason, (reasons.get(result.finishReason) ?? 0) + 1);
  return {
    modSet: place("modSet"),
    prompt: place("prompt"),
    value: place("value"),
    runs: runs.map(({ number }) => number),
    made: outcomes.length,
    failed: outcomes.filter(({ result }) => result.finishReason === "error").length,
    interventions: mean("interventions"),
    tokens: mean("tokens"),
    surprisal: mean("surprisal"),
    finishReasons: [...reasons].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)),
    checks: experiment.checks.map((_, check) => {
      const verdicts = seen.flatMap((result) => result.verdicts[check] ?? []);
      const known = verdicts.filter(({ holds }) => holds !== null);
      return {
        ...estimateProportion(known.filter(({ holds }) => holds === true).length, known.length),
        unknown: verdicts.length - known.length,
        problem: verdicts.find(({ problem }) => problem !== null)?.problem ?? null,
      };
    }),
  };
}

/**
 * The runs that count as observations. At temperature 0 the seed draws nothing: if all seeds of a cell gave the same output,
 * they count as a single observation. Counting each seed would make every interval too narrow.
 */
function observationsOf(
  experiment: Experiment,
  runs: readonly PlannedRun[],
  made: ReadonlyMap<number, RunOutcome>,
): readonly RunOutcome[] {
  const cells = new Map<string, { readonly run: PlannedRun; readonly outcomes: RunOutcome[] }>();
  for (const run of runs) {
    const outcome = made.get(run.number);
    if (!outcome) continue;
    const key = keyOf(run, "cell");
    const cell = cells.get(key);
    if (cell) cell.outcomes.push(outcome);
    else cells.set(key, { run, outcomes: [outcome] });
  }
  return [...cells.values()].flatMap(({ run, outcomes }) => {
    const [first] = outcomes;
    const isOne =
      first !== undefined &&
      temperatureOf(experiment, run) === 0 &&
      outcomes.every(({ result }) => sameResult(result) === sameResult(first.result));
    return isOne ? [first] : outcomes;
  });
}

const sameResult = (result: RunOutcome["result"]) => JSON.stringify(result);
