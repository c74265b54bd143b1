/** The body of `POST /v1/responses`, as OpenAI's API reference has it. Types only. */
import type { RequestExtension } from "../chat-completion.ts";
import type { ResponseFunctionTool, ResponseTextFormat, ResponseToolChoice } from "./response-types.ts";

type TextPart = { readonly type: "input_text" | "output_text"; readonly text: string };

/** An item of `input`. Every item type of OpenAI's client compiles, so that its types can be used. An item whose type is not listed here with its fields is refused with a 400. */
export type ResponseInputItem =
  | {
      readonly type?: "message";
      readonly role: "user" | "assistant" | "system" | "developer";
      readonly content: string | readonly TextPart[];
    }
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: "function_call_output";
      readonly call_id: string;
      readonly output: string | readonly TextPart[];
    }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly unknown[];
      readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
    }
  /** An item of an earlier response that is still stored. */
  | { readonly type: "item_reference"; readonly id: string }
  | { readonly type?: string | null };

/** Fields of OpenAI's API that are refused, unless they are null or have a value without effect. */
export interface RefusedResponseFields {
  readonly background?: boolean | null;
  readonly conversation?: unknown;
  readonly context_management?: unknown;
  readonly prompt?: unknown;
  readonly moderation?: unknown;
  readonly image?: unknown;
  readonly access_programs?: unknown;
  readonly truncation?: "auto" | "disabled" | null;
}

/** Fields of OpenAI's API that are accepted and have no effect. */
export interface IgnoredResponseFields {
  readonly max_tool_calls?: number | null;
  readonly service_tier?: string | null;
  readonly safety_identifier?: string | null;
  readonly prompt_cache_key?: string | null;
  readonly prompt_cache_options?: unknown;
  readonly prompt_cache_retention?: string | null;
}

export interface ResponseRequest extends RefusedResponseFields, IgnoredResponseFields {
  /** `model`, or `model/mod,mod`. Required; optional in this type because it is optional in OpenAI's. */
  readonly model?: string;
  readonly input?: string | readonly ResponseInputItem[];
  /** A system message before the conversation. `previous_response_id` does not repeat the earlier response's instructions. */
  readonly instructions?: string | null;
  /** Id of the stored response whose conversation this request continues. */
  readonly previous_response_id?: string | null;
  /** Whether the response is saved, in memory or in the engine's store, for `previous_response_id` and `retrieve`. True by default. */
  readonly store?: boolean | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_obfuscation?: boolean } | null;
  readonly max_output_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_logprobs?: number | null;
  readonly include?: readonly string[] | null;
  readonly tools?: readonly (ResponseFunctionTool | { readonly type: string })[];
  readonly tool_choice?: ResponseToolChoice | { readonly type: string };
  readonly parallel_tool_calls?: boolean | null;
  readonly text?: {
    readonly format?: ResponseTextFormat;
    readonly verbosity?: "low" | "medium" | "high" | null;
  };
  /** `effort: "none"` turns thinking off. */
  readonly reasoning?: { readonly effort?: string | null; readonly summary?: string | null } | null;
  readonly metadata?: { readonly [key: string]: string } | null;
  readonly user?: string;
  /** This field and the next ones are not in OpenAI's responses, but in its chat requests or in other servers. */
  readonly top_k?: number | null;
  readonly min_p?: number | null;
  readonly repetition_penalty?: number | null;
  readonly frequency_penalty?: number | null;
  readonly presence_penalty?: number | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  /** Phrases that the output must not contain, in upper or lower case. If one appears, it is removed, and its first token is banned at that position. */
  readonly banned_strings?: string | readonly string[] | null;
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean; readonly thinking?: boolean } | null;
  readonly midtoken?: RequestExtension;
}
