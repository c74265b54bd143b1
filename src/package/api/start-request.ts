/** A started request, whose result is a growing text. OpenAI's calls use only this part of the engine. Types only. */

import type { AnswerStreamEvent, TextStreamOptions } from "../../core/trace/text/text-stream-events.ts";
import type { RunRequest } from "../../runtime/session/shared/requests.ts";

/** The request for one choice. */
export interface RequestPlan {
  /** The model string, with its mods: `model`, `model/mod`, `model/first,second`. */
  readonly model: string;
  readonly request: Omit<RunRequest, "requestId" | "mods" | "branchPoint" | "maxTokens"> & {
    /** Null for as many as fit the model's context, `LoadedModel.capacity`. */
    readonly maxTokens: number | null;
  };
  readonly text: Omit<TextStreamOptions, "mayTakeBack">;
  /** Phrases that the output must not contain, in upper or lower case; by default none. */
  readonly bannedStrings?: readonly string[];
  /** The client that sent the request: clients take turns. */
  readonly client: string;
}

export interface StartedRequest {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Names of its mods, in order. A record with a larger index refers to the built-in mod for tools and response format. */
  readonly mods: readonly string[];
  /** The field of the call's body that an error about the prompt names. */
  readonly promptField: "messages" | "prompt";
  /**
   * May be iterated once. Throws an ApiError if the request was refused (400) or the engine broke (500, 503). A request that
   * ran ends without an exception: its `finished` event has the reason, also for `error` and `cancelled`.
   */
  readonly events: AsyncIterable<AnswerStreamEvent>;
  cancel(): void;
}

/** Rejects with an ApiError: 404 for an unknown model or mod, 400 for a prompt that cannot fit the context, 503 for an engine that was disposed of. */
export type StartRequest = (plan: RequestPlan) => Promise<StartedRequest>;
