/** The fields of `providerOptions.midtoken`: request fields for which the AI SDK has no setting. */
import { InvalidArgumentError, type SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { MidtokenNamesOf } from "../../core/base/request-fields.ts";
import type { SamplingField, SamplingName } from "../../core/base/sampling.ts";
import type { PropertyOrder } from "../../core/sdk/request.ts";
import type { ChatCompletionRequest, RequestExtension } from "../api/chat-completion.ts";

/** Settings that the AI SDK itself has. */
type AiSdkSetting = "temperature" | "topK" | "topP" | "presencePenalty" | "frequencyPenalty";

/** The sampling settings that the AI SDK lacks: their names in these options, and their names in the API. */
const ownSettings = {
  minP: "min_p",
  repetitionPenalty: "repetition_penalty",
} as const satisfies Record<Exclude<SamplingName, AiSdkSetting>, SamplingField>;

export interface MidtokenProviderOptions {
  /** Drops tokens that are less likely than this fraction of the most likely token. */
  readonly minP?: number;
  /** Above 1, tokens seen before become less likely. */
  readonly repetitionPenalty?: number;
  /** Numbers added to the logits of tokens, by token id. */
  readonly logitBias?: Readonly<Record<string, number>>;
  /** Returns log-probabilities in the provider metadata: of each token, and of this many most likely tokens at each step. `true` means 0. */
  readonly logprobs?: boolean | number;
  /** Whether one answer may have several tool calls; by default yes. */
  readonly parallelToolCalls?: boolean;
  /** The order of properties in JSON answers and in the arguments of calls; by default "required". */
  readonly propertyOrder?: PropertyOrder;
  /** An id of the user. If several users send requests at the same time, they take turns. */
  readonly user?: string;
  /** Phrases that the output must not contain, in upper or lower case. */
  readonly bannedStrings?: string | readonly string[];
  /** How many tokens a stream holds back, because a mod may still remove them. By default "auto": as many as the request's mods may remove. */
  readonly holdback?: number | "all" | "auto";
  /** By default "stop": the request ends when one of its mods fails. */
  readonly onModError?: "stop" | "continue";
  /** The most forward passes. */
  readonly budget?: number;
  /** Whether prompt lookup guesses the next tokens (draft tokens). By default only on WebAssembly. */
  readonly promptLookup?: boolean;
  /** Whether names of special tokens in the messages become special tokens. By default they stay text. */
  readonly parseSpecial?: boolean;
  /** False switches off token healing: a text that a mod puts before the model's own tokens keeps its tokens. */
  readonly heal?: boolean;
  /** Milliseconds that each mod may take. */
  readonly deadlines?: NonNullable<RequestExtension["deadlines"]>;
}

const settingNames = Object.keys(ownSettings) as readonly (keyof typeof ownSettings)[];

/** Left out, because the AI SDK cannot remove text that was sent, and checks the fields of its messages itself. */
type Extension = Omit<RequestExtension, "retract" | "unknown_message_fields">;

/** The type requires every option of this file and every option in the table of request fields. */
const known: OptionKeys<MidtokenProviderOptions> & Readonly<Record<MidtokenNamesOf<"aiSdk">, true>> = {
  minP: true,
  repetitionPenalty: true,
  logitBias: true,
  logprobs: true,
  parallelToolCalls: true,
  propertyOrder: true,
  user: true,
  bannedStrings: true,
  holdback: true,
  onModError: true,
  budget: true,
  promptLookup: true,
  parseSpecial: true,
  heal: true,
  deadlines: true,
};

/** `propertyOrder`, which is set in the response format and in each tool. */
export function propertyOrderOf(given: SharedV4ProviderOptions | undefined): {
  readonly order?: PropertyOrder;
} {
  const { propertyOrder } = (given?.midtoken ?? {}) as MidtokenProviderOptions;
  return propertyOrder === undefined ? {} : { order: propertyOrder };
}

/**
 * Converts the options to fields of the request; their values are checked later.
 * @throws InvalidArgumentError for an unknown option.
 */
export function providerOptionsToFields(
  given: SharedV4ProviderOptions | undefined,
): Partial<Omit<ChatCompletionRequest, "stream">> {
  const options = (given?.midtoken ?? {}) as MidtokenProviderOptions;
  refuseUnknownKeys(
    options,
    Object.keys(known),
    "providerOptions.midtoken",
    (message, argument) => new InvalidArgumentError({ argument, message }),
  );
  const settings = settingNames.flatMap((name) =>
    options[name] === undefined ? [] : [[ownSettings[name], options[name]] as const],
  );
  const { logitBias, logprobs, parallelToolCalls, user, bannedStrings } = options;
  const { holdback, onModError, budget, promptLookup, parseSpecial, heal, deadlines } = options;
  const extension: EveryKey<Extension> = {
    holdback,
    on_mod_error: onModError,
    budget,
    prompt_lookup: promptLookup,
    parse_special: parseSpecial,
    heal,
    deadlines,
  };
  return {
    ...Object.fromEntries(settings),
    ...(logitBias !== undefined && { logit_bias: logitBias }),
    ...(typeof logprobs === "number" && { logprobs: true, top_logprobs: logprobs }),
    ...(typeof logprobs === "boolean" && { logprobs }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(user !== undefined && { user }),
    ...(bannedStrings !== undefined && { banned_strings: bannedStrings }),
    midtoken: withoutUndefined<Extension>(extension),
  };
}
