/** An experiment as a file: its definition, which can be run again, and its outcomes. */

import { JsonBoundsError, parseBoundedJson } from "../../core/base/json-bounds.ts";
import { refuseUnknownKeys } from "../../core/base/known-keys.ts";
import { isRecord } from "../../core/base/record.ts";
import { finishReasons } from "../../core/trace/format/format.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import {
  fields,
  finite,
  list,
  nullable,
  oneOf,
  type Reader,
  text,
  truth,
  whole,
} from "../../core/trace/parse/check.ts";
import { type Experiment, ExperimentError, experimentLimits, runCount } from "./experiment.ts";
import {
  type CheckVerdict,
  maximumStoredTextLength,
  type RepeatableRunResult,
  type RunCost,
  type RunOutcome,
} from "./outcome.ts";
import { parseExperiment, rethrowAsExperimentError } from "./parse-experiment.ts";

/** Increased when older versions of Midtoken could not read the new files. */
export const experimentFileVersion = 1;

export interface ExperimentFile {
  readonly experiment: Experiment;
  /** The outcomes of the finished runs, in the order of their numbers. */
  readonly outcomes: readonly RunOutcome[];
}

export const experimentFileEnding = ".experiment.json";

export function experimentToJson({ experiment, outcomes }: ExperimentFile): string {
  const sorted = outcomes.toSorted((a, b) => a.number - b.number);
  return `${JSON.stringify({ midtoken: "experiment", version: experimentFileVersion, experiment, outcomes: sorted }, null, 1)}\n`;
}

/** @throws ExperimentError that names the error in the file, and what to do */
export function experimentFromJson(json: string): ExperimentFile {
  if (json.length > experimentLimits.fileLength) {
    throw new ExperimentError(
      `The file has ${json.length} characters, but the limit for an experiment is ${experimentLimits.fileLength}: check that you chose the right file.`,
    );
  }
  const value = parse(json);
  if (!isRecord(value) || value.midtoken !== "experiment") {
    throw new ExperimentError(
      "The file is JSON, but not a Midtoken experiment: choose a file that you saved with “Save as a file” in an experiment.",
    );
  }
  if (value.version !== experimentFileVersion) {
    throw new ExperimentError(
      typeof value.version === "number" && value.version > experimentFileVersion
        ? `The experiment was made by a newer version of Midtoken (file version ${value.version}; this page reads version ${experimentFileVersion}). Reload the page to get the newest version.`
        : `The experiment's version is ${String(JSON.stringify(value.version)).slice(0, 40)}, but must be ${experimentFileVersion}: the file is damaged.`,
    );
  }
  refuseUnknownKeys(
    value,
    ["midtoken", "version", "experiment", "outcomes"],
    "",
    (message) => new ExperimentError(`The experiment cannot be read: ${message} Nothing was changed.`),
  );
  const experiment = parseExperiment(value.experiment);
  const outcomes = rethrowAsExperimentError(() =>
    list(outcomeOf(experiment), experimentLimits.runs)(value.outcomes ?? []),
  );
  if (new Set(outcomes.map(({ number }) => number)).size < outcomes.length)
    throw new ExperimentError("The experiment cannot be read: it contains two results for the same run.");
  return { experiment, outcomes };
}

/** Ten thousand outcomes with eight checks each have half a million entries. */
const bounds = { characters: experimentLimits.fileLength, depth: 100, values: 5_000_000 };

function parse(json: string): unknown {
  try {
    return parseBoundedJson(json, bounds, "The file");
  } catch (cause) {
    if (cause instanceof JsonBoundsError) throw new ExperimentError(`${cause.message} Nothing was changed.`);
    throw new ExperimentError(
      "The file is not JSON: choose a file that you saved with “Save as a file” in an experiment.",
    );
  }
}

const count = whole(0, 2 ** 51);

function outcomeOf(experiment: Experiment): Reader<RunOutcome> {
  const verdicts = list(
    fields<CheckVerdict>({ holds: nullable(truth), problem: nullable(text(traceLimits.textLength)) }),
    experiment.checks.length,
  );
  return fields<RunOutcome>({
    number: whole(0, runCount(experiment) - 1),
    runId: text(experimentLimits.nameLength),
    result: fields<RepeatableRunResult>({
      interventions: count,
      tokens: count,
      surprisal: nullable(finite),
      finishReason: oneOf(...finishReasons),
      error: nullable(text(traceLimits.textLength)),
      text: text(maximumStoredTextLength),
      verdicts,
      promptTokens: count,
    }),
    cost: fields<RunCost>({
      forwardPasses: count,
      reusedTokens: count,
      prefillUs: count,
      decodeUs: count,
    }),
  });
}
