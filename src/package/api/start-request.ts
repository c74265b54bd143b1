/** A started request as growing text: the part of the engine that OpenAI's calls use. Types only. */

import type { AnswerStreamEvent, TextStreamOptions } from "../../core/trace/text/text-stream-events.ts";
import type { RunRequest } from "../../runtime/session/shared/requests.ts";

/** One request, of one choice. */
export interface RequestPlan {
  /** The model string, with its mods: `model`, `model/mod`, `model/first,second`. */
  readonly model: string;
  readonly request: Omit<RunRequest, "requestId" | "mods" | "branchPoint" | "maxTokens"> & {
    /** Null: as many as the model's context has room for, `LoadedModel.capacity`. */
    readonly maxTokens: number | null;
  };
  readonly text: Omit<TextStreamOptions, "mayTakeBack">;
  /** Phrases that the output is not to contain, whatever their case; none unless given. */
  readonly bannedStrings?: readonly string[];
  /** Whose request it is: clients take turns. */
  readonly client: string;
}

export interface StartedRequest {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Names of its mods, in their order. A record that names a mod beyond them means the one that keeps tools and response format. */
  readonly mods: readonly string[];
  /** The field of the call's body that an error about the prompt names. */
  readonly promptField: "messages" | "prompt";
  /**
   * To be iterated once. Throws an ApiError if the request was refused (400) or the engine broke (500, 503). The end
   * of a request that ran is no exception: the `finished` event has its reason, `error` and `cancelled` among them.
   */
  readonly events: AsyncIterable<AnswerStreamEvent>;
  cancel(): void;
}

/** Rejects with an ApiError, 404, for a model or mod that is not there. */
export type StartRequest = (plan: RequestPlan) => Promise<StartedRequest>;
