/** The request that makes one run of an experiment. */
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { banningModName, banningModSource } from "../../core/sdk/banned-strings.ts";
import type { AnswerRequest, ResponseFormat, ToolDefinition } from "../../core/sdk/request.ts";
import type { TraceDeadlines, TraceMod } from "../../core/trace/format/format-request.ts";
import type { Experiment } from "./experiment.ts";
import type { PlannedRun } from "./plan.ts";

/** The request to a session. */
export interface ExperimentRequest extends AnswerRequest {
  readonly deadlines?: TraceDeadlines;
  readonly mods: readonly TraceMod[];
}

/** `experiment` was checked by `parseExperiment`, so that its JSON texts are valid JSON. */
export function requestOfRun(experiment: Experiment, run: PlannedRun, requestId: string): ExperimentRequest {
  const { settings, variation, modSets, prompts, seeds } = experiment;
  const { sampling, tools, responseFormat } = settings;
  // Each key is named, so that the compiler asks for a field that is added to the table of request fields.
  const every: EveryKey<ExperimentRequest> = {
    requestId,
    messages: prompts[run.prompt]?.messages ?? [],
    mods: [...(modSets[run.modSet]?.mods ?? []), ...banningMods(settings.bannedStrings ?? [])],
    thinking: settings.thinking,
    rawPrompt: settings.rawPrompt,
    parseSpecial: settings.parseSpecial,
    heal: settings.heal,
    // The session checks the tools, and names the field that is wrong.
    tools: tools.map((tool) => JSON.parse(tool) as ToolDefinition),
    toolChoice: settings.toolChoice,
    parallelToolCalls: settings.parallelToolCalls,
    responseFormat: responseFormat === null ? null : (JSON.parse(responseFormat) as ResponseFormat),
    sampling,
    maxTokens: settings.maxTokens,
    stop: settings.stop,
    seed: seeds[run.seed] ?? 0,
    onModError: settings.onModError,
    budget: settings.budget ?? undefined,
    deadlines: settings.deadlines ?? undefined,
  };
  const request = withoutUndefined<ExperimentRequest>(every);
  const value = variation?.values[run.value];
  if (!variation || value === undefined) return request;
  return variation.setting === "maxTokens"
    ? { ...request, maxTokens: value }
    : { ...request, sampling: { ...sampling, [variation.setting]: value } };
}

function banningMods(phrases: readonly string[]): readonly TraceMod[] {
  return phrases.length === 0 ? [] : [{ name: banningModName, source: banningModSource(phrases) }];
}

/** The temperature at which a run samples. At 0 the seed matters only to mods that read it. */
export function temperatureOf({ settings, variation }: Experiment, run: Pick<PlannedRun, "value">): number {
  if (variation?.setting !== "temperature") return settings.sampling.temperature;
  return variation.values[run.value] ?? settings.sampling.temperature;
}
