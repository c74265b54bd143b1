/**
 * Every number that says how a token is chosen, in one table. Form, API, command line, AI SDK options, saved settings, and the
 * trace's parser and codec use this table; the compiler makes sampler, GPU draw and timeline handle each cut-off. How to add a
 * setting: docs/contributing/recipes.md.
 */

/** How one token is chosen from logits. The settings are applied in the order of these fields. */
export interface SamplingSettings {
  /** Numbers to add to logits, by token id. */
  readonly logitBias: Readonly<Record<number, number>>;
  /** Above 1: divides positive and multiplies negative logits of tokens seen in prompt or output (CTRL, Keskar et al. 2019). 1 is off. */
  readonly repetitionPenalty: number;
  /** Subtracted once from the logit of each emitted token (OpenAI). 0 is off. */
  readonly presencePenalty: number;
  /** Subtracted from the logit of a token per time it was emitted (OpenAI). 0 is off. */
  readonly frequencyPenalty: number;
  /** Divides the logits; 0 takes the token with the largest logit. */
  readonly temperature: number;
  /** Keeps the k most likely tokens; 0 is off. */
  readonly topK: number;
  /** Keeps the smallest set of most likely tokens whose probabilities reach this sum; 1 is off. */
  readonly topP: number;
  /** Keeps tokens at least this fraction as likely as the most likely one; 0 is off. */
  readonly minP: number;
}

/** A setting that is one number: all settings except the logit bias. */
export type SamplingName = Exclude<keyof SamplingSettings, "logitBias">;

/**
 * The settings that exclude tokens. Sampler, GPU draw and timeline must handle each of them. The compiler refuses a row of
 * `samplingNumbers` whose role does not agree with this type.
 */
export type CutOffName = "topK" | "topP" | "minP";

/** One row of the table: a sampling setting. */
export interface SamplingSettingInfo {
  /**
   * The effect: changes the logits of single tokens, divides all logits, or excludes tokens. The sampler applies them in this
   * order.
   */
  readonly role: "logits" | "temperature" | "cutOff";
  /** The value that leaves sampling unchanged. A request that does not set the field has this value. */
  readonly neutral: number;
  readonly min: number;
  readonly max: number;
  /** The difference between two values of the form's field; 1 allows whole numbers only. */
  readonly step: number;
  readonly label: string;
  /** The label in the summary of what differs from plain sampling. */
  readonly short: string;
  /** The form shows settings that choose among tokens before penalties for tokens that were seen. */
  readonly group: "choice" | "penalty";
}

type RoleOf<Name extends SamplingName> = Name extends CutOffName ? "cutOff" : "logits" | "temperature";

/** A link stores the numbers in this order, so add a new one at the end. */
export const samplingNumbers: {
  readonly [Name in SamplingName]: SamplingSettingInfo & { readonly role: RoleOf<Name> };
} = {
  repetitionPenalty: {
    role: "logits",
    neutral: 1,
    min: 0.01,
    max: 100,
    step: 0.05,
    group: "penalty",
    label: "Repetition penalty",
    short: "repetition",
  },
  presencePenalty: {
    role: "logits",
    neutral: 0,
    min: -100,
    max: 100,
    step: 0.1,
    group: "penalty",
    label: "Presence penalty",
    short: "presence",
  },
  frequencyPenalty: {
    role: "logits",
    neutral: 0,
    min: -100,
    max: 100,
    step: 0.1,
    group: "penalty",
    label: "Frequency penalty",
    short: "frequency",
  },
  temperature: {
    role: "temperature",
    neutral: 1,
    min: 0,
    max: 1000,
    step: 0.1,
    group: "choice",
    label: "Temperature",
    short: "temperature",
  },
  topK: {
    role: "cutOff",
    neutral: 0,
    min: 0,
    max: 1_000_000,
    step: 1,
    group: "choice",
    label: "Top-k",
    short: "top-k",
  },
  topP: {
    role: "cutOff",
    neutral: 1,
    min: 0,
    max: 1,
    step: 0.01,
    group: "choice",
    label: "Top-p",
    short: "top-p",
  },
  minP: {
    role: "cutOff",
    neutral: 0,
    min: 0,
    max: 1,
    step: 0.01,
    group: "choice",
    label: "Min-p",
    short: "min-p",
  },
};

export const samplingNames = Object.keys(samplingNumbers) as readonly SamplingName[];

export const cutOffNames: readonly CutOffName[] = samplingNames.filter(
  (name): name is CutOffName => samplingNumbers[name].role === "cutOff",
);

const logitsNames = samplingNames.filter((name) => samplingNumbers[name].role === "logits");

/** Whether the settings change logits before they are weighed: with a bias or a penalty. */
export function hasBiasOrPenalty(settings: SamplingSettings): boolean {
  return (
    Object.keys(settings.logitBias).length > 0 ||
    logitsNames.some((name) => settings[name] !== samplingNumbers[name].neutral)
  );
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/** The names in OpenAI's API and in compatible servers: "topP" is "top_p". */
export type SamplingField = SnakeCase<SamplingName>;

export const samplingField = (name: SamplingName): SamplingField =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SamplingField;

/** A value for every setting of the table. */
export function mapSamplingNames<Value>(
  make: (name: SamplingName, about: SamplingSettingInfo) => Value,
): Record<SamplingName, Value> {
  const entries = samplingNames.map((name) => [name, make(name, samplingNumbers[name])]);
  return Object.fromEntries(entries) as Record<SamplingName, Value>;
}

/** Neutral settings: plain sampling at temperature 1. */
export const defaultSampling: SamplingSettings = {
  logitBias: {},
  ...mapSamplingNames((_, { neutral }) => neutral),
};

/** Whether a value is a number that the setting allows. */
export function isInRange({ min, max, step }: SamplingSettingInfo, value: unknown): value is number {
  return (
    typeof value === "number" && value >= min && value <= max && (step !== 1 || Number.isSafeInteger(value))
  );
}

/** The range in words, for messages: "from 0 to 1", "a whole number from 0 to 1000000". */
export function formatRange({ min, max, step }: SamplingSettingInfo): string {
  return `${step === 1 ? "a whole number " : ""}from ${min} to ${max}`;
}
