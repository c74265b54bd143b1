/** Checks an experiment from outside, and rebuilds it field by field. */
import { formatNameSuggestion, unknownKey } from "../../core/base/known-keys.ts";
import { countWithNoun } from "../../core/base/number-text.ts";
import { isRecord } from "../../core/base/record.ts";
import type { FieldsOf } from "../../core/base/request-fields.ts";
import {
  formatRange,
  isInRange,
  mapSamplingNames,
  type SamplingSettings,
  samplingNames,
  samplingNumbers,
} from "../../core/base/sampling.ts";
import {
  modErrorRules,
  type TraceDeadlines,
  type TraceMessage,
  type TraceMod,
  type TraceToolChoice,
} from "../../core/trace/format/format-request.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import {
  addErrorKey,
  exactFields,
  finite,
  list,
  nullable,
  numbersById,
  oneOf,
  optional,
  PathError,
  type Reader,
  refusingUnknownFields,
  tagged,
  text,
  truth,
  whole,
} from "../../core/trace/parse/check.ts";
import {
  messageReader,
  onlyFalse,
  onlyTrue,
  toolChoiceReader,
} from "../../core/trace/parse/parse-request.ts";
import { findCheckProblem } from "./checks.ts";
import {
  type Check,
  type Experiment,
  ExperimentError,
  type ExperimentPrompt,
  type ExperimentSettings,
  experimentLimits,
  type ModSet,
  runCount,
  type Variation,
} from "./experiment.ts";

const name = text(experimentLimits.nameLength);
const source = text(traceLimits.messageLength);
const json: Reader<string> = (value) => {
  const read = text(traceLimits.jsonLength)(value);
  try {
    JSON.parse(read);
  } catch {
    throw new PathError("", "should be JSON, but is not");
  }
  return read;
};
const messageKeys = ["role", "content", "name", "tool_calls", "tool_call_id"];
/** A message of a trace, in which unknown keys are refused: also those of its content's parts and of its calls. */
const message: Reader<TraceMessage> = refusingUnknownFields(messageKeys, (value, isOurs) => {
  const { content, tool_calls: calls } = isRecord(value) ? value : {};
  refuseUnknown(content, ["type", "text"], "content");
  refuseUnknown(calls, ["id", "type", "function"], "tool_calls");
  for (const [place, call] of (Array.isArray(calls) ? calls : []).entries())
    refuseUnknown(
      isRecord(call) ? call.function : null,
      ["name", "arguments"],
      `tool_calls[${place}].function`,
    );
  return messageReader(value, isOurs);
});

const toolChoice: Reader<TraceToolChoice> = (value, isOurs) => {
  refuseUnknown(value, ["type", "function"], "");
  refuseUnknown(isRecord(value) ? value.function : null, ["name"], "function");
  return toolChoiceReader(value, isOurs);
};

/** @throws PathError for an unknown key of an object, or of the objects of a list. Other values are left to their reader. */
function refuseUnknown(value: unknown, known: readonly string[], path: string): void {
  for (const [place, entry] of (Array.isArray(value) ? value : [value]).entries()) {
    const key = isRecord(entry) ? unknownKey(entry, known) : undefined;
    if (key === undefined) continue;
    const where = Array.isArray(value) ? `${path}[${place}]` : path;
    throw new PathError(
      where === "" ? key : `${where}.${key}`,
      `is an unknown field. ${formatNameSuggestion(key, known)}`,
    );
  }
}
const varied = oneOf("maxTokens", ...samplingNames);
const milliseconds = whole(1, 600_000);

/** One reader for each field that the table of request fields has for experiments. */
const settingReaders: { readonly [Field in FieldsOf<"experiment">]: Reader<ExperimentSettings[Field]> } = {
  thinking: optional(truth),
  rawPrompt: optional(onlyTrue),
  parseSpecial: optional(onlyTrue),
  heal: optional(onlyFalse),
  sampling: exactFields<SamplingSettings>({
    logitBias: numbersById(traceLimits.entries),
    ...mapSamplingNames((each) => numberOf(each)),
  }),
  maxTokens: whole(1, traceLimits.tokens),
  stop: list(text(traceLimits.textLength), 64),
  bannedStrings: optional(list(text(traceLimits.textLength), 256)),
  onModError: oneOf(...modErrorRules),
  budget: nullable(whole(1, 10_000_000)),
  deadlines: nullable(
    exactFields<TraceDeadlines>({ load: milliseconds, prefilled: milliseconds, event: milliseconds }),
  ),
  tools: list(json, 256),
  toolChoice,
  parallelToolCalls: truth,
  responseFormat: nullable(json),
};

const settings: Reader<ExperimentSettings> = exactFields<ExperimentSettings>(settingReaders);

function numberOf(each: (typeof samplingNames)[number]): Reader<number> {
  const about = samplingNumbers[each];
  return (value) => {
    const read = finite(value);
    if (!isInRange(about, read)) throw new PathError("", `should be ${formatRange(about)}, but is ${read}`);
    return read;
  };
}

const variation: Reader<Variation> = (value) => {
  const read = exactFields<Variation>({
    setting: varied,
    values: some(list(finite, experimentLimits.values)),
  })(value);
  const reader = read.setting === "maxTokens" ? whole(1, traceLimits.tokens) : numberOf(read.setting);
  try {
    return { ...read, values: distinct(list(reader, read.values.length)(read.values), "value") };
  } catch (error) {
    throw addErrorKey("values", error);
  }
};

const experiment: Reader<Experiment> = exactFields<Experiment>({
  name,
  model: text(traceLimits.textLength),
  modSets: some(
    list(
      exactFields<ModSet>({
        name,
        mods: list(
          exactFields<TraceMod>({ name: source, source, entry: optional(source) }),
          traceLimits.mods,
        ),
      }),
      experimentLimits.modSets,
    ),
  ),
  prompts: some(
    list(exactFields<ExperimentPrompt>({ messages: some(list(message, 1_000)) }), experimentLimits.prompts),
  ),
  seeds: (value) => distinct(some(list(whole(0, 0xffffffff), experimentLimits.seeds))(value), "seed"),
  settings,
  variation: nullable(variation),
  checks: list(
    tagged<Check>({
      text: exactFields({ type: oneOf("text"), name, text: source, ignoreCase: truth }),
      regex: exactFields({ type: oneOf("regex"), name, source, flags: text(16) }),
      schema: exactFields({ type: oneOf("schema"), name, schema: text(traceLimits.jsonLength) }),
      function: exactFields({ type: oneOf("function"), name, source }),
    }),
    experimentLimits.checks,
  ),
});

/** A list with at least one entry. */
function some<Entry>(reader: Reader<Entry[]>): Reader<Entry[]> {
  return (value) => {
    const read = reader(value);
    if (read.length === 0) throw new PathError("", "is empty, but must have at least one entry");
    return read;
  };
}

/** Refuses duplicates: the runs of a repeated value would count twice. */
function distinct(values: readonly number[], what: string): number[] {
  const twice = values.find((value, place) => values.indexOf(value) < place);
  if (twice !== undefined) throw new PathError("", `contains ${twice} twice: list each ${what} only once`);
  return [...values];
}

/**
 * @param value parsed JSON, or the values of a form
 * @throws ExperimentError that names the field, its value, and what is allowed
 */
export function parseExperiment(value: unknown): Experiment {
  const read = rethrowAsExperimentError(() => experiment(value));
  const runs = runCount(read);
  if (runs > experimentLimits.runs) {
    const { modSets, prompts, seeds } = read;
    const values = read.variation ? ` × ${countWithNoun(read.variation.values.length, "value")}` : "";
    throw new ExperimentError(
      `The experiment has ${runs} runs (${modSets.length} mods × ${prompts.length} prompts${values} × ${seeds.length} seeds), but the limit is ${experimentLimits.runs}: use fewer mods, prompts, values or seeds.`,
    );
  }
  read.checks.forEach((check, place) => {
    const problem = findCheckProblem(check);
    if (problem !== null) throw new ExperimentError(`Check ${place + 1} (${check.name}): ${problem}`);
  });
  return read;
}

/** Turns an error of the trace reader into an error about the experiment. */
export function rethrowAsExperimentError<Type>(read: () => Type): Type {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof PathError)) throw cause;
    throw new ExperimentError(
      `The experiment cannot be read: ${cause.path || "it"} ${cause.expectation.replace(/\.$/, "")}. Nothing was changed.`,
    );
  }
}
