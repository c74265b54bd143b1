/** What a client asks for: messages, tools and sampling settings. Plain data; crosses every boundary. */

/** A vocabulary id. */
export type TokenId = number;

/** A tool call as OpenAI clients know it; `arguments` is JSON text. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One part of a message's content; only text parts carry text. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string;
}

/** One turn of a conversation, as the client sent it. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

/** A function that the model may ask the client to call. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
}

/** The shape the client wants the answer to have. */
export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
    };

/** How one token is chosen from logits. Applied in the order of these fields. */
export interface SamplingSettings {
  /** Added to the logit of a token id. */
  readonly logitBias: Readonly<Record<number, number>>;
  /** Above 1: divides positive and multiplies negative logits of tokens seen in prompt or output (CTRL, Keskar et al. 2019). 1 is off. */
  readonly repetitionPenalty: number;
  /** Subtracted once from the logit of each emitted token (OpenAI). 0 is off. */
  readonly presencePenalty: number;
  /** Subtracted from the logit of a token per time it was emitted (OpenAI). 0 is off. */
  readonly frequencyPenalty: number;
  /** Divides the logits; 0 takes the largest. */
  readonly temperature: number;
  /** Keeps the k most likely tokens; 0 is off. */
  readonly topK: number;
  /** Keeps the smallest set of most likely tokens whose probabilities reach this sum; 1 is off. */
  readonly topP: number;
  /** Keeps tokens at least this fraction as likely as the most likely one; 0 is off. */
  readonly minP: number;
}

/** Neutral settings: plain sampling at temperature 1. */
export const defaultSampling: SamplingSettings = {
  logitBias: {},
  repetitionPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  temperature: 1,
  topK: 0,
  topP: 1,
  minP: 0,
};

/** Why a request ended. */
export type FinishReason = "stop" | "length" | "forced" | "tool_calls" | "error" | "budget" | "cancelled";

/** Token counts of a request; `forwardPasses` counts runs of the model. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reusedTokens: number;
  readonly forwardPasses: number;
}
