/** The fields of `providerOptions.midtoken`: request fields for which the AI SDK has no setting. */
import { InvalidArgumentError, type SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { OwnNamesOf } from "../../core/base/request-fields.ts";
import type { SamplingField, SamplingName } from "../../core/base/sampling.ts";
import type { PropertyOrder } from "../../core/sdk/request.ts";
import type { ChatCompletionRequest, RequestExtension } from "../api/chat-completion.ts";

/** Settings that the AI SDK has itself. */
type AiSdkSetting = "temperature" | "topK" | "topP" | "presencePenalty" | "frequencyPenalty";

/** The settings of sampling that the AI SDK does not have, by their names there and in the API. */
const ownSettings = {
  minP: "min_p",
  repetitionPenalty: "repetition_penalty",
} as const satisfies Record<Exclude<SamplingName, AiSdkSetting>, SamplingField>;

export interface MidtokenProviderOptions {
  /** Leaves out tokens less likely than so many times the most likely one. */
  readonly minP?: number;
  /** Above 1, tokens seen before become less likely. */
  readonly repetitionPenalty?: number;
  /** Added to the logits of tokens, by their ids. */
  readonly logitBias?: Readonly<Record<string, number>>;
  /** Log-probabilities of the answer's tokens in the provider metadata, with so many most likely tokens of each step; `true` is 0. */
  readonly logprobs?: boolean | number;
  /** May one answer have several tool calls? Yes unless given. */
  readonly parallelToolCalls?: boolean;
  /** The order of properties in JSON answers and in the arguments of calls; "required" unless given. */
  readonly propertyOrder?: PropertyOrder;
  /** Whose request it is: clients take turns when several ask at once. */
  readonly user?: string;
  /** Phrases that the output is not to contain, whatever their case. */
  readonly bannedStrings?: string | readonly string[];
  /** Tokens that a stream holds back because a mod may still take them back; "auto" unless given: as many as the mods of the request may take back. */
  readonly holdback?: number | "all" | "auto";
  /** "stop" unless given: the request ends when one of its mods fails. */
  readonly onModError?: "stop" | "continue";
  /** Forward passes at most. */
  readonly budget?: number;
  /** Whether passes read along what followed the same tokens before. On WebAssembly unless given. */
  readonly drafts?: boolean;
  /** Names of special tokens in the messages are read as special tokens; they are text unless this is true. */
  readonly parseSpecial?: boolean;
  /** false: a text that a mod puts before the model's own tokens keeps its own tokens (no token healing). */
  readonly heal?: boolean;
  /** Milliseconds that each mod may take. */
  readonly deadlines?: NonNullable<RequestExtension["deadlines"]>;
}

const settingNames = Object.keys(ownSettings) as readonly (keyof typeof ownSettings)[];

/** The SDK takes no text back, and knows the fields of its messages. */
type Extension = Omit<RequestExtension, "retract" | "unknown_message_fields">;

/** The type asks for each option of this file and for each option in the table of request fields. */
const known: OptionKeys<MidtokenProviderOptions> & Readonly<Record<OwnNamesOf<"aiSdk">, true>> = {
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
  drafts: true,
  parseSpecial: true,
  heal: true,
  deadlines: true,
};

/** The option that is a part of the response format and of each tool. */
export function propertyOrderOf(given: SharedV4ProviderOptions | undefined): {
  readonly order?: PropertyOrder;
} {
  const { propertyOrder } = (given?.midtoken ?? {}) as MidtokenProviderOptions;
  return propertyOrder === undefined ? {} : { order: propertyOrder };
}

/** Fields of the request. Their values are checked with the request. @throws InvalidArgumentError for an option that does not exist. */
export function requestFields(
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
  const { holdback, onModError, budget, drafts, parseSpecial, heal, deadlines } = options;
  const extension: EveryKey<Extension> = {
    holdback,
    on_mod_error: onModError,
    budget,
    drafts,
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
