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
    /** In which order the call may have its arguments; "required" unless given. The model does not see the field. */
    readonly order?: PropertyOrder;
  };
}

/**
 * The order of an object's properties. "required": the required ones as the schema lists them, optional ones anywhere. "schema":
 * all as the schema lists them. "any": every order.
 */
export type PropertyOrder = "required" | "schema" | "any";

/** The shape the client wants the answer to have. */
export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly json_schema: {
        readonly name: string;
        readonly schema: Readonly<Record<string, unknown>>;
        /** "required" unless given. */
        readonly order?: PropertyOrder;
      };
    };

/** May the model call a tool, must it, or which one, as OpenAI's API has it. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** The request for one answer. */
export interface AnswerRequest {
  readonly requestId: string;
  readonly messages: readonly Message[];
  /** The text of the messages is the prompt as it is, also where the model has a chat template. */
  readonly rawPrompt?: boolean;
  /** Names of special tokens in the messages are read as special tokens; they are text unless this is true. */
  readonly parseSpecial?: boolean;
  /** false: the tokens of a text that stands before the model's own tokens stay as they are (no token healing). */
  readonly heal?: boolean;
  /** Whether the model is to think before it answers; as its chat template has it unless given. */
  readonly thinking?: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** May one answer have several calls? */
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  /** Most tokens to emit. */
  readonly maxTokens: number;
  /** Texts that end the output; they are not part of it. */
  readonly stop: readonly string[];
  /** 32-bit. */
  readonly seed: number;
  /** Most forward passes; `defaultBudget(maxTokens)` unless given. */
  readonly budget?: number;
  readonly onModError: "stop" | "continue";
}

/** Why a request ended. */
export type FinishReason = "stop" | "length" | "forced" | "tool_calls" | "error" | "budget" | "cancelled";

/** Token counts of a request; `forwardPasses` counts runs of the model. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Emitted only for a while, as in a hidden question; not among `completionTokens`. */
  readonly hiddenTokens: number;
  readonly reusedTokens: number;
  readonly forwardPasses: number;
}
