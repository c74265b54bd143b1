/** An experiment: mods × prompts × settings × seeds, and the checks of every output. Plain data that can be saved as a file. */
import type { SamplingName, SamplingSettings } from "../../core/base/sampling.ts";
import type {
  RequestRecord,
  TraceDeadlines,
  TraceMessage,
  TraceMod,
  TraceToolChoice,
} from "../../core/trace/format/format-request.ts";

/** Mods that run together, in their order; none for the model alone. */
export interface ModSet {
  readonly name: string;
  readonly mods: readonly TraceMod[];
}

export interface ExperimentPrompt {
  readonly messages: readonly TraceMessage[];
}

/** The fields that all requests share, apart from prompt, mods and seed. */
export interface ExperimentSettings {
  /** Whether the model thinks before it answers. Absent: as its chat template does by default. */
  readonly thinking?: boolean;
  /** The text of the messages is the prompt itself, without a chat template. Absent: the template is used. */
  readonly rawPrompt?: true;
  /** Names of special tokens in messages are read as special tokens. Absent: as text. */
  readonly parseSpecial?: true;
  /** False switches token healing off for texts before the model's own tokens. Absent: token healing is on. */
  readonly heal?: false;
  readonly sampling: SamplingSettings;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Phrases that no output may contain. Absent: none. */
  readonly bannedStrings?: readonly string[];
  readonly onModError: RequestRecord["onModError"];
  /** Most forward passes of a request; null: the default of a request. */
  readonly budget: number | null;
  /** Null: the default of a request. */
  readonly deadlines: TraceDeadlines | null;
  /** Definition of each tool, as JSON text. */
  readonly tools: readonly string[];
  readonly toolChoice: TraceToolChoice;
  readonly parallelToolCalls: boolean;
  /** JSON text; null if the output may be any text. */
  readonly responseFormat: string | null;
}

export type VariedSetting = SamplingName | "maxTokens";

/** One setting that takes several values. */
export interface Variation {
  readonly setting: VariedSetting;
  /** Without duplicates. */
  readonly values: readonly number[];
}

/** A check of each answer. */
export type Check = { readonly name: string } & (
  | { readonly type: "text"; readonly text: string; readonly ignoreCase: boolean }
  | { readonly type: "regex"; readonly source: string; readonly flags: string }
  /** JSON Schema as JSON text: the whole output has to be JSON that is valid against this schema. */
  | { readonly type: "schema"; readonly schema: string }
  /** TypeScript that declares a function `check`, which runs in a sandbox, as a mod does. */
  | { readonly type: "function"; readonly source: string }
);

export interface Experiment {
  readonly name: string;
  /** Id of the model. */
  readonly model: string;
  readonly modSets: readonly ModSet[];
  readonly prompts: readonly ExperimentPrompt[];
  /** 32-bit numbers without duplicates. */
  readonly seeds: readonly number[];
  readonly settings: ExperimentSettings;
  /** Null if all requests have the same settings. */
  readonly variation: Variation | null;
  readonly checks: readonly Check[];
}

/** The most that an experiment may have. */
export const experimentLimits = {
  modSets: 32,
  prompts: 1_000,
  seeds: 1_000,
  values: 32,
  checks: 8,
  /** Runs of all cells together. */
  runs: 10_000,
  /** UTF-16 units of a name. */
  nameLength: 200,
  /** UTF-16 units of a file. */
  fileLength: 32 * 1_048_576,
} as const;

/** Runs of all cells together. */
export function runCount({ modSets, prompts, seeds, variation }: Experiment): number {
  return modSets.length * prompts.length * seeds.length * (variation?.values.length ?? 1);
}

/** An experiment is invalid. The message names the wrong value, the reason, and what to do. */
export class ExperimentError extends Error {
  override name = "ExperimentError";
}
