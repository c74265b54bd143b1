/** What `providerOptions.midtoken` may hold: the fields of a request that the AI SDK has no setting for. */
import { InvalidArgumentError, type SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ChatCompletionRequest, RequestExtension } from "../api/chat-completion.ts";
import { refuseUnknownKeys } from "../base/known-keys.ts";

export interface MidtokenProviderOptions {
  /** Leaves out tokens less likely than so many times the likeliest one. */
  readonly minP?: number;
  /** Added to the logits of tokens, by their ids. */
  readonly logitBias?: Readonly<Record<string, number>>;
  /** Log-probabilities of the answer's tokens in the provider metadata, with so many likeliest tokens of each step; `true` is 0. */
  readonly logprobs?: boolean | number;
  /** May one answer have several tool calls? Yes unless given. */
  readonly parallelToolCalls?: boolean;
  /** Whose request it is: clients take turns when several ask at once. */
  readonly user?: string;
  /** Tokens that a stream holds back because a mod may still take them back; "auto" unless given: as many as the mods of the request may take back. */
  readonly holdback?: number | "all" | "auto";
  /** "stop" unless given: the request ends when one of its mods fails. */
  readonly onModError?: "stop" | "continue";
  /** Forward passes at most. */
  readonly budget?: number;
  /** Whether passes read along what followed the same tokens before. On WebAssembly unless given. */
  readonly drafts?: boolean;
  /** Milliseconds that each mod may take. */
  readonly deadlines?: NonNullable<RequestExtension["deadlines"]>;
}

const names = [
  "minP",
  "logitBias",
  "logprobs",
  "parallelToolCalls",
  "user",
  "holdback",
  "onModError",
  "budget",
  "drafts",
  "deadlines",
] as const satisfies readonly (keyof MidtokenProviderOptions)[];

/** Fields of the request. Their values are checked with the request. @throws InvalidArgumentError for an option that does not exist. */
export function requestFields(
  given: SharedV4ProviderOptions | undefined,
): Partial<Omit<ChatCompletionRequest, "stream">> {
  const options = (given?.midtoken ?? {}) as MidtokenProviderOptions;
  refuseUnknownKeys(
    options,
    names,
    "providerOptions.midtoken",
    (message, argument) => new InvalidArgumentError({ argument, message }),
  );
  const {
    minP,
    logitBias,
    logprobs,
    parallelToolCalls,
    user,
    holdback,
    onModError,
    budget,
    drafts,
    deadlines,
  } = options;
  return {
    ...(minP !== undefined && { min_p: minP }),
    ...(logitBias !== undefined && { logit_bias: logitBias }),
    ...(typeof logprobs === "number" && { logprobs: true, top_logprobs: logprobs }),
    ...(typeof logprobs === "boolean" && { logprobs }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(user !== undefined && { user }),
    midtoken: {
      ...(holdback !== undefined && { holdback }),
      ...(onModError !== undefined && { on_mod_error: onModError }),
      ...(budget !== undefined && { budget }),
      ...(drafts !== undefined && { drafts }),
      ...(deadlines !== undefined && { deadlines }),
    },
  };
}
