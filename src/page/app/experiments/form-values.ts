/** The values of the form, and the experiment that they make together with the content of the editor. */

import { type EveryKey, withoutUndefined } from "../../../core/base/every-key.ts";
import { allowsSeveralCalls, sharedDefaults } from "../../../core/base/request-defaults.ts";
import type { Message } from "../../../core/sdk/request.ts";
import { defaultDeadlines } from "../../../runtime/session/shared/request-limits.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import {
  type Check,
  type Experiment,
  ExperimentError,
  type VariedSetting,
} from "../../experiments/experiment.ts";
import { parseExperiment } from "../../experiments/parse-experiment.ts";

export interface ExperimentFormValues {
  readonly name: string;
  /** Whether the model is also run without mods. */
  readonly without: boolean;
  /** Ids of the mods that are tried one by one. */
  readonly alone: readonly string[];
  /** Whether these mods are also tried together, in the order of the editor. */
  readonly together: boolean;
  /** One prompt per line. Each replaces the last user turn of the editor. */
  readonly prompts: string;
  /** The number of seeds, or the seeds themselves with commas between them. */
  readonly seeds: string;
  readonly setting: VariedSetting | "";
  /** The values of the setting, with commas between them. */
  readonly values: string;
  readonly checks: readonly Check[];
}

/** The content of the editor: the request of a run, without its mods. */
export interface EditorRequest {
  readonly model: string;
  readonly request: Omit<RunRequest, "mods" | "requestId">;
  /** Phrases that no output may contain. */
  readonly bannedStrings: readonly string[];
  /** All mods, in the order in which a run asks them. */
  readonly mods: readonly {
    readonly id: string;
    readonly name: string;
    readonly source: string;
    readonly entry: string | null;
  }[];
}

/** @throws ExperimentError that says what is wrong with the values, and what to write. */
export function experimentOfForm(values: ExperimentFormValues, editor: EditorRequest): Experiment {
  const { model, request, mods } = editor;
  const chosen = mods.filter(({ id }) => values.alone.includes(id));
  const asMod = ({ name, source, entry }: EditorRequest["mods"][number]) => ({
    name,
    source,
    ...(entry !== null && { entry }),
  });
  const modSets = [
    ...(values.without ? [{ name: "without mods", mods: [] }] : []),
    ...chosen.map((mod) => ({ name: mod.name, mods: [asMod(mod)] })),
    ...(values.together && chosen.length > 1
      ? [
          {
            name: chosen
              .map(({ name }) => name)
              .join(" + ")
              .slice(0, 200),
            mods: chosen.map(asMod),
          },
        ]
      : []),
  ];
  if (modSets.length === 0) throw new ExperimentError("No mod is chosen: choose one, or “Without mods”.");
  const prompts = nonEmptyLines(values.prompts);
  if (prompts.length === 0) throw new ExperimentError("There is no prompt: write one per line.");
  return parseExperiment({
    name: values.name.trim() || "Experiment",
    model,
    modSets,
    prompts: prompts.map((prompt) => ({ messages: withPrompt(request.messages, prompt) })),
    seeds: readSeeds(values.seeds, request.seed),
    settings: experimentSettingsOf(editor),
    variation:
      values.setting === ""
        ? null
        : { setting: values.setting, values: readNumbers(values.values, "values of the setting") },
    checks: values.checks,
  });
}

export function experimentSettingsOf({
  request,
  bannedStrings,
}: Pick<EditorRequest, "request" | "bannedStrings">): Experiment["settings"] {
  const { tools = [], responseFormat = null } = request;
  const every: EveryKey<Experiment["settings"]> = {
    thinking: request.thinking,
    rawPrompt: request.rawPrompt ? true : undefined,
    parseSpecial: request.parseSpecial ? true : undefined,
    heal: request.heal === false ? false : undefined,
    sampling: request.sampling,
    maxTokens: Math.max(1, request.maxTokens),
    stop: request.stop,
    bannedStrings: bannedStrings.length > 0 ? bannedStrings : undefined,
    onModError: request.onModError,
    budget: request.budget ?? null,
    deadlines: { ...defaultDeadlines, ...request.deadlines },
    tools: tools.map((tool) => JSON.stringify(tool)),
    toolChoice: request.toolChoice ?? sharedDefaults.toolChoice,
    parallelToolCalls: allowsSeveralCalls(request.parallelToolCalls, request.toolChoice),
    responseFormat: responseFormat === null ? null : JSON.stringify(responseFormat),
  };
  return withoutUndefined(every);
}

/** Lines that are not empty, without the spaces around them. */
export function nonEmptyLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function withPrompt(messages: readonly Message[], content: string): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  return at < 0 ? [...messages, { role: "user", content }] : messages.with(at, { role: "user", content });
}

/** The most seeds that a single number may ask for: a larger number is taken as a seed. */
const mostSeeds = 1_000;

/** `first`: the seed of the editor, with which the sequence of seeds begins. */
export function readSeeds(text: string, first: number): readonly number[] {
  const [only, ...others] = readNumbers(text, "seeds");
  if (others.length > 0 || text.includes(",")) return [only ?? 0, ...others];
  if (only === undefined || !Number.isInteger(only) || only < 1 || only > mostSeeds) {
    throw new ExperimentError(
      `The number of seeds is ${text.trim()}: write a whole number from 1 to ${mostSeeds}, or seeds with commas between them, such as 7, 8, 9.`,
    );
  }
  return consecutiveSeeds(first, only);
}

/** `count` seeds one after the other, within 32 bits. */
export function consecutiveSeeds(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => (first + at) % 0x1_0000_0000);
}

function readNumbers(text: string, what: string): readonly number[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const numbers = parts.map(Number);
  const wrong = numbers.findIndex((number) => !Number.isFinite(number));
  if (parts.length === 0)
    throw new ExperimentError(`The ${what} are missing: write numbers with commas between them.`);
  if (wrong >= 0)
    throw new ExperimentError(
      `Among the ${what} is “${parts[wrong]?.slice(0, 40)}”, which is not a number: write numbers with commas between them.`,
    );
  return numbers;
}
