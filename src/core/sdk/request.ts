/** A client's request: messages, tools and sampling settings. Plain data; crosses every boundary. */
import type { SamplingSettings } from "../base/sampling.ts";

export { defaultSampling, type SamplingSettings } from "../base/sampling.ts";

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
    /** The order in which a call may have its arguments; "required" by default. The model does not see this field. */
    readonly order?: PropertyOrder;
  };
}

/**
 * The order of an object's properties. "required": the required ones as the schema lists them, optional ones anywhere.
 * "schema": all properties as the schema lists them. "any": every order.
 */
export type PropertyOrder = "required" | "schema" | "any";

/** The format that the answer must have. */
export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly schema: Readonly<Record<string, unknown>>;
        /** "required" by default. */
        readonly order?: PropertyOrder;
      };
    };

/** Whether the model may call a tool, must call one, or must call a certain tool, as in OpenAI's API. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The request for one answer. */
export interface AnswerRequest {
  readonly requestId: string;
  readonly messages: readonly Message[];
  /** True uses the text of the messages as the prompt, even if the model has a chat template. */
  readonly rawPrompt?: boolean;
  /** True reads the names of special tokens in the messages as special tokens; by default, they are text. */
  readonly parseSpecial?: boolean;
  /** false turns off token healing of texts that stand before the model's own tokens. */
  readonly heal?: boolean;
  /** Whether the model should think before it answers; by default, its chat template decides. */
  readonly thinking?: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** Whether one answer may have several tool calls. */
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  /** The most tokens of the output. */
  readonly maxTokens: number;
  /** Texts that end the output. The output does not contain them. */
  readonly stop: readonly string[];
  /** A 32-bit number. */
  readonly seed: number;
  /** The most forward passes; `defaultBudget(maxTokens)` by default. */
  readonly budget?: number;
  readonly onModError: "stop" | "continue";
}

/** Why a request ended. */
export type FinishReason = "stop" | "length" | "forced" | "tool_calls" | "error" | "budget" | "cancelled";

/** Token counts of a request; `forwardPasses` counts runs of the model. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Number of hidden tokens, as in a hidden question. `completionTokens` does not count them. */
  readonly hiddenTokens: number;
  readonly reusedTokens: number;
  readonly forwardPasses: number;
}
