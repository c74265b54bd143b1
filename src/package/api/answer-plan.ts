/** The plan of a call: one request of the engine for each choice, and how their results are combined. */
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import type { Message } from "../../core/sdk/request.ts";
import { invalidRequestError } from "./api-error.ts";
import type { SharedFields } from "./read-shared-fields.ts";
import type { RequestPlan } from "./start-request.ts";

export interface AnswerPlan {
  /** The requested model string, mods included. */
  readonly model: string;
  readonly isStreamed: boolean;
  /** Whether the last chunk of a stream contains the usage. */
  readonly includesUsage: boolean;
  /** The number of most likely tokens to return for each step; null without log-probabilities. */
  readonly topLogprobs: number | null;
  /** Number of choices for each prompt. */
  readonly choices: number;
  /** The requests for the choices of the first prompt, then of the next prompt. */
  readonly requests: readonly RequestPlan[];
}

type Prompt = Partial<RequestPlan["request"]> & { readonly messages: readonly Message[] };

/** Makes the plan. @throws ApiError, 400, if the request's fields contradict each other. */
export function answerPlan(
  shared: SharedFields,
  prompts: readonly Prompt[],
  own: { readonly maxTokens: number | null; readonly topLogprobs: number | null },
): AnswerPlan {
  const { model, isStreamed, includesUsage, choices, sampling, stop, seed, client, limits } = shared;
  const { bannedStrings, hasRandomSeed } = shared;
  const { maxTokens, topLogprobs } = own;
  const text = textOptions(shared, topLogprobs !== null);
  const requests = prompts.flatMap((prompt, place) =>
    Array.from({ length: choices }, (_, choice): RequestPlan => {
      const seedOfChoice = (seed + place * choices + choice) >>> 0;
      // Each key is listed, so that the compiler reports a new field of the request table that is missing here.
      const every: EveryKey<RequestPlan["request"]> = {
        messages: prompt.messages,
        rawPrompt: prompt.rawPrompt,
        thinking: prompt.thinking,
        tools: prompt.tools,
        toolChoice: prompt.toolChoice,
        parallelToolCalls: prompt.parallelToolCalls,
        responseFormat: prompt.responseFormat,
        sampling,
        maxTokens,
        stop,
        seed: seedOfChoice,
        hasRandomSeed: hasRandomSeed || undefined,
        onModError: limits.onModError,
        budget: limits.budget,
        promptLookup: limits.promptLookup,
        parseSpecial: limits.parseSpecial,
        heal: limits.heal,
        deadlines: limits.deadlines,
      };
      const banned = bannedStrings.length > 0 && { bannedStrings };
      return { model, client, text, ...banned, request: withoutUndefined(every) };
    }),
  );
  return { model, isStreamed, includesUsage, topLogprobs, choices, requests };
}

function textOptions(
  { isStreamed, holdback, retract }: SharedFields,
  hasLogprobs: boolean,
): RequestPlan["text"] {
  // An answer that is not streamed needs no holdback, unless it lists its tokens one by one.
  if (!isStreamed)
    return hasLogprobs ? { holdback: "all", logprobs: true } : { holdback: "all", retract: true };
  if (retract && hasLogprobs) {
    const message =
      "midtoken.retract and logprobs are both set: a stream cannot take back log-probabilities. Leave one of them out.";
    throw invalidRequestError(message, "midtoken.retract");
  }
  return { holdback, ...(retract && { retract }), ...(hasLogprobs && { logprobs: true }) };
}
