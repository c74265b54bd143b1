/** Reads the fields that OpenAI's calls have in common (chat completions, text completions, responses), and Midtoken's own fields. */

import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { isRecord } from "../../core/base/record.ts";
import { requestDefaults, sharedDefaults } from "../../core/base/request-defaults.ts";
import type { MidtokenNamesOf } from "../../core/base/request-fields.ts";
import { samplingField, samplingNames, samplingNumbers } from "../../core/base/sampling.ts";
import type { SamplingSettings } from "../../core/sdk/request.ts";
import { modErrorRules } from "../../core/trace/format/format-request.ts";
import { traceLimits } from "../../core/trace/format/limits.ts";
import {
  type Deadlines,
  defaultDeadlines,
  limitRanges,
} from "../../runtime/session/shared/request-limits.ts";
import type { BodyFields } from "./body-fields.ts";
import type { RequestPlan } from "./start-request.ts";

/** The fields of a request except its messages or prompt. */
export interface SharedFields {
  /** The requested model string, mods included. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** Whether the last chunk of a stream contains the usage. */
  readonly includesUsage: boolean;
  /** Number of choices for each prompt. */
  readonly choices: number;
  readonly sampling: SamplingSettings;
  readonly stop: readonly string[];
  readonly bannedStrings: readonly string[];
  /** The 32-bit seed of the first choice. Each further choice adds 1. */
  readonly seed: number;
  /** The request gives no seed. */
  readonly hasRandomSeed: boolean;
  readonly client: string;
  readonly holdback: RequestPlan["text"]["holdback"];
  readonly retract: boolean;
  /** Whether unknown fields of messages are ignored. */
  readonly ignoresMessageFields: boolean;
  readonly limits: Pick<
    RequestPlan["request"],
    "onModError" | "budget" | "promptLookup" | "deadlines" | "parseSpecial" | "heal"
  >;
}

/** The same limit as in OpenAI's API. */
const mostChoices = 128;
/** OpenAI's limit is four. */
const mostStops = 64;
const mostBannedStrings = 256;
/** The texts become the source of a mod, which may write each character in six, and may have a million characters. */
const mostBannedCharacters = 100_000;

/** @throws ApiError, 400 */
export function readSharedFields(body: BodyFields): SharedFields {
  const isStreamed = body.flag("stream") ?? false;
  const extension = body.object("midtoken");
  const shared = {
    model: body.requiredText("model"),
    isStreamed,
    includesUsage: readStreamOptions(body, isStreamed),
    choices: body.number("n", { min: 1, max: mostChoices, isWhole: true }) ?? 1,
    sampling: readSampling(body),
    stop: readTexts(body, "stop", mostStops),
    bannedStrings: readBannedStrings(body),
    ...readSeed(body),
    client: body.text("user") ?? "",
    holdback: extension ? readHoldback(extension) : "auto",
    retract: extension?.flag("retract") ?? false,
    ignoresMessageFields: extension?.oneOf("unknown_message_fields", ["refuse", "ignore"]) === "ignore",
    limits: extension ? readLimits(extension) : { onModError: sharedDefaults.onModError },
  } as const satisfies SharedFields;
  extension?.refuseOthers();
  return shared;
}

function readStreamOptions(body: BodyFields, isStreamed: boolean): boolean {
  const value = body.take("stream_options");
  const options = body.object("stream_options");
  if (options === undefined) return false;
  if (!isStreamed) throw body.refusal("stream_options", value, "leave it out, or set stream to true");
  const includesUsage = options.flag("include_usage") ?? false;
  if (options.flag("include_obfuscation")) {
    throw options.refusal(
      "include_obfuscation",
      true,
      "leave it out: padding that hides the length of a chunk is not supported",
    );
  }
  options.refuseOthers();
  return includesUsage;
}

function readSampling(body: BodyFields): SamplingSettings {
  const requestedSettings = samplingNames.flatMap((name) => {
    const field = samplingField(name);
    const { min, max, step } = samplingNumbers[name];
    const value = body.number(field, { min, max, isWhole: step === 1 });
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...requestDefaults.chat.sampling,
    ...Object.fromEntries(requestedSettings),
    logitBias: readLogitBias(body),
  };
}

function readLogitBias(body: BodyFields): SamplingSettings["logitBias"] {
  const value = body.take("logit_bias");
  if (value === undefined) return {};
  const cure = 'give an object that maps token ids to numbers from -100 to 100, such as { "42": -100 }';
  if (!isRecord(value)) throw body.refusal("logit_bias", value, cure);
  for (const [token, bias] of Object.entries(value)) {
    const isBias = typeof bias === "number" && Math.abs(bias) <= 100;
    if (!/^\d{1,9}$/.test(token) || !isBias) throw body.refusal("logit_bias", { [token]: bias }, cure);
  }
  return { ...(value as SamplingSettings["logitBias"]) };
}

/** A text, or a list of texts. */
function readTexts(body: BodyFields, name: "stop" | "banned_strings", most: number): readonly string[] {
  const value = body.take(name);
  if (value === undefined) return [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length > most) throw body.refusal(name, value, `give at most ${most} texts`);
  for (const text of texts) {
    if (typeof text !== "string" || text === "" || text.length > traceLimits.textLength) {
      const rule = `of 1 to ${traceLimits.textLength} characters`;
      throw body.refusal(name, text, `give a string ${rule}, or a list of such strings`);
    }
  }
  return texts as readonly string[];
}

function readBannedStrings(body: BodyFields): readonly string[] {
  const texts = readTexts(body, "banned_strings", mostBannedStrings);
  if (texts.reduce((sum, { length }) => sum + length, 0) <= mostBannedCharacters) return texts;
  const cure = `give at most ${mostBannedCharacters} characters in all texts together`;
  throw body.refusal("banned_strings", texts, cure);
}

function readSeed(body: BodyFields): Pick<SharedFields, "seed" | "hasRandomSeed"> {
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number;
  const seed = body.number("seed", { min, max, isWhole: true });
  if (seed === undefined) {
    const [random] = crypto.getRandomValues(new Uint32Array(1));
    return { seed: random as number, hasRandomSeed: true };
  }
  // Keeps the lowest 32 bits.
  return { seed: seed >>> 0, hasRandomSeed: false };
}

function readHoldback(own: BodyFields): SharedFields["holdback"] {
  const value = own.take("holdback");
  if (value === undefined) return "auto";
  if (value === "auto" || value === "all") return value;
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= traceLimits.tokens) {
    return value as number;
  }
  throw own.refusal("holdback", value, 'give "auto", "all" or a whole number of tokens (0 or more)');
}

/** A reader for each of `midtoken`'s fields in the table of request fields. */
const limitReaders = {
  on_mod_error: (own) => own.oneOf("on_mod_error", modErrorRules),
  budget: (own) => own.number("budget", { ...limitRanges.budget, isWhole: true }),
  prompt_lookup: (own) => own.flag("prompt_lookup"),
  parse_special: (own) => own.flag("parse_special"),
  heal: (own) => own.flag("heal"),
  deadlines: (own) => readDeadlines(own.object("deadlines")),
} satisfies Readonly<Record<MidtokenNamesOf<"chat">, (own: BodyFields) => unknown>>;

function readLimits(own: BodyFields): SharedFields["limits"] {
  const every: EveryKey<SharedFields["limits"]> = {
    onModError: limitReaders.on_mod_error(own) ?? sharedDefaults.onModError,
    budget: limitReaders.budget(own),
    promptLookup: limitReaders.prompt_lookup(own),
    parseSpecial: limitReaders.parse_special(own) || undefined,
    heal: limitReaders.heal(own) === false ? false : undefined,
    deadlines: limitReaders.deadlines(own),
  };
  return withoutUndefined(every);
}

function readDeadlines(fields: BodyFields | undefined): Partial<Deadlines> | undefined {
  if (fields === undefined) return undefined;
  const names = Object.keys(defaultDeadlines) as (keyof Deadlines)[];
  const deadlines = names.flatMap((name) => {
    const value = fields.number(name, { ...limitRanges.deadline, isWhole: true });
    return value === undefined ? [] : [[name, value] as const];
  });
  fields.refuseOthers();
  return Object.fromEntries(deadlines);
}
