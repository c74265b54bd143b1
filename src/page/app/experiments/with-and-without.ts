/** An experiment of one prompt: with mods and without them, everything else the same. */

import { type EveryKey, withoutUndefined } from "../../../core/base/every-key.ts";
import { separateBanningMod } from "../../../core/sdk/banned-strings.ts";
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { type Experiment, ExperimentError } from "../../experiments/experiment.ts";
import { parseExperiment } from "../../experiments/parse-experiment.ts";
import { clampSamplingOfRecord } from "../store/sampling-of.ts";
import { consecutiveSeeds, type EditorRequest, experimentSettingsOf } from "./form-values.ts";

/** Says where the runs are saved, and that they are no branches where the run is one. */
export function withAndWithoutNotice({ branch }: RequestRecord): string {
  const saved =
    "The runs with and without the mods are saved in Experiments. A search in History finds them too.";
  return branch === null
    ? saved
    : `This run is a branch. Both new runs start from the prompt, so they can differ from this run from the first word on. ${saved}`;
}

/** An experiment that repeats a finished run with all of its mods and with none. @throws ExperimentError if it had none. */
export function withAndWithoutAllMods(request: RequestRecord, seeds: number): Experiment {
  // The record also has what the mod declares, which the mod's source says again.
  const written = separateBanningMod(ownMods(request).filter((mod) => !isRequestFormatMod(mod)));
  const mods = written.mods.map(({ name, source, entry }) => ({
    name,
    source,
    ...(entry !== undefined && { entry }),
  }));
  if (mods.length === 0)
    throw new ExperimentError("The run had no mod: switch a mod on and run again to see what it changes.");
  const { messages, model } = request;
  return parseExperiment({
    name: nameOf(mods.map(({ name }) => name)),
    model: model.id,
    modSets: [
      { name: "without mods", mods: [] },
      {
        name: mods
          .map(({ name }) => name)
          .join(" + ")
          .slice(0, 200),
        mods,
      },
    ],
    prompts: [{ messages }],
    seeds: consecutiveSeeds(request.seed >>> 0, seeds),
    settings: settingsOfRecord(request, written.phrases),
    variation: null,
    checks: [],
  });
}

function settingsOfRecord(request: RequestRecord, bannedStrings: readonly string[]): Experiment["settings"] {
  const every: EveryKey<Experiment["settings"]> = {
    thinking: request.thinking,
    rawPrompt: request.rawPrompt,
    parseSpecial: request.parseSpecial,
    heal: request.heal,
    tools: request.tools,
    toolChoice: request.toolChoice,
    parallelToolCalls: request.parallelToolCalls,
    responseFormat: request.responseFormat,
    sampling: { ...request.sampling, ...clampSamplingOfRecord(request) },
    maxTokens: Math.max(1, request.maxTokens),
    stop: request.stop,
    bannedStrings: bannedStrings.length > 0 ? bannedStrings : undefined,
    onModError: request.onModError,
    budget: Math.max(1, request.budget),
    deadlines: request.deadlines,
  };
  return withoutUndefined(every);
}

/** An experiment with and without a mod of the editor: the other mods that are switched on run on both sides. */
export function withAndWithoutMod(
  mod: string,
  editor: EditorRequest,
  enabled: ReadonlySet<string>,
  seeds: number,
): Experiment {
  const { model, request, mods } = editor;
  const named = mods.find(({ id }) => id === mod);
  const having = mods.filter(({ id }) => id === mod || enabled.has(id));
  const asMods = (list: EditorRequest["mods"]) =>
    list.map(({ name, source, entry }) => ({ name, source, ...(entry !== null && { entry }) }));
  const name = named?.name ?? "mod";
  return parseExperiment({
    name: nameOf([name]),
    model,
    modSets: [
      { name: `without ${name}`, mods: asMods(having.filter(({ id }) => id !== mod)) },
      { name: `with ${name}`, mods: asMods(having) },
    ],
    prompts: [{ messages: request.messages }],
    seeds: consecutiveSeeds(request.seed, seeds),
    settings: experimentSettingsOf(editor),
    variation: null,
    checks: [],
  });
}

const nameOf = (mods: readonly string[]) => `With and without ${mods.join(" and ")}`.slice(0, 200);
