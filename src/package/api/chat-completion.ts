/**
 * The types of `POST /v1/chat/completions`, as in OpenAI's API reference, without the refused fields. Fields named `midtoken` are
 * Midtoken's own; OpenAI's clients ignore them.
 */
import type {
  Message,
  ResponseFormat,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from "../../core/sdk/request.ts";

/** Midtoken's own fields of a request. */
export interface RequestExtension {
  /** Number of tokens that a stream holds back because a mod may still take them back; see `TextStreamOptions.holdback`. */
  readonly holdback?: number | "all" | "auto";
  /** The stream holds no text back for mods; `delta.midtoken.retract` says how much of the sent text a mod took back. */
  readonly retract?: boolean;
  /** "stop" unless given: the request ends when one of its mods fails. */
  readonly on_mod_error?: "stop" | "continue";
  /** The most forward passes. */
  readonly budget?: number;
  /** Whether prompt lookup guesses the next tokens (draft tokens). On WebAssembly unless given; docs/embed.md. */
  readonly drafts?: boolean;
  /**
   * Names of special tokens in the messages (as `<|im_end|>`) are read as special tokens. They are text unless this is true: a
   * message could otherwise begin a turn of another role. The prompt of `/v1/completions` is always read with them.
   */
  readonly parse_special?: boolean;
  /**
   * false: no token healing. Otherwise a text that a mod or the prompt of `/v1/completions` puts before the model's own tokens may
   * end within a word: its last tokens are then taken back, and the model's next token begins with their text.
   */
  readonly heal?: boolean;
  /**
   * "ignore": unknown fields of messages are ignored, for clients that add fields of their own. "refuse" unless given: a
   * misspelled field would otherwise change nothing.
   */
  readonly unknown_message_fields?: "refuse" | "ignore";
  /** Milliseconds that each mod may take. */
  readonly deadlines?: { readonly load?: number; readonly prefilled?: number; readonly event?: number };
}

/** A part of a message. Other types than "text" are refused when the request is read: these models read only text. */
export interface ChatContentPart {
  readonly type: string;
  readonly text?: string;
}

/**
 * A message in OpenAI's types, so that a list of `OpenAI.ChatCompletionMessageParam` fits. Content that no model here
 * reads, such as pictures and the role "function", is refused when the request is read.
 */
export interface ChatMessage {
  /** "developer" is the newer name of "system". */
  readonly role: Message["role"] | "developer" | "function";
  readonly content?: string | readonly ChatContentPart[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function" | "custom";
    readonly function?: ToolCall["function"];
  }[];
  readonly tool_call_id?: string;
  /** In an earlier answer: the model's reasoning. Its chat template decides whether the model sees it again. */
  readonly reasoning_content?: string | null;
  /** In an earlier answer: the text of a refusal, if the answer has no content. */
  readonly refusal?: string | null;
}

/** Arguments always keep to the tool's schema; `strict` is accepted. */
export interface ChatFunctionTool extends ToolDefinition {
  readonly function: ToolDefinition["function"] & { readonly strict?: boolean | null };
}

/** Tools whose input is any text exist only in OpenAI's API: they are refused when the request is read. */
export type ChatTool =
  | ChatFunctionTool
  | { readonly type: "custom"; readonly custom: { readonly name: string } };

export interface ChatCompletionRequest {
  /** `model`, or `model/mod,mod`. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  /** Not in OpenAI's API, but in most servers that are compatible with it. */
  readonly top_k?: number | null;
  readonly min_p?: number | null;
  readonly repetition_penalty?: number | null;
  readonly frequency_penalty?: number | null;
  readonly presence_penalty?: number | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
  readonly n?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  /** Phrases that the output must not contain, in any case. The first token of such a phrase is banned at its place. */
  readonly banned_strings?: string | readonly string[] | null;
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  /** `schema` beside "json_object" is the form of llama.cpp. */
  readonly response_format?:
    | ResponseFormat
    | { readonly type: "json_object"; readonly schema?: Readonly<Record<string, unknown>> };
  /** Whether a model that can think does so before it answers. Its chat template decides unless given. */
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean; readonly thinking?: boolean } | null;
  /** Same as `enable_thinking: false`. Other efforts are refused. */
  readonly reasoning_effort?: "none" | null;
  /** An id of the user: if several users ask at once, they take turns. */
  readonly user?: string;
  readonly midtoken?: RequestExtension;
}

export interface TokenLogprob {
  /** The text that the token added: "" if a later token completes its character. */
  readonly token: string;
  /** Natural log-probability before temperature and after the mods. -9999 if unknown, or if a mod made the token impossible. */
  readonly logprob: number;
  /** UTF-8 of `token`. */
  readonly bytes: number[] | null;
}

export interface ChatTokenLogprob extends TokenLogprob {
  readonly top_logprobs: TokenLogprob[];
}

export interface ChatLogprobs {
  readonly content: ChatTokenLogprob[] | null;
  readonly refusal: null;
}

export type ChatFinishReason = "stop" | "length" | "tool_calls";

export interface CompletionUsage {
  readonly prompt_tokens: number;
  /** Tokens of the answer, without hidden tokens. */
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  /** The part of the completion tokens that was reasoning. */
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
  readonly midtoken: { readonly hidden_tokens: number; readonly forward_passes: number };
}

/** Midtoken's own fields of a response. */
export interface ResponseExtension {
  /** The request ids of the choices, in their order: for `engine.requests` and `GET /v1/requests/ID/trace`. */
  readonly request_ids: readonly string[];
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  /** Seconds since 1970. */
  readonly created: number;
  /** The requested model string, mods included. */
  readonly model: string;
  readonly choices: {
    readonly index: number;
    readonly message: {
      readonly role: "assistant";
      readonly content: string | null;
      readonly refusal: null;
      /** The model's reasoning before its answer, without the marks around it. Absent if it did not think. */
      readonly reasoning_content?: string;
      /** The arguments of a call in which the answer was cut are the beginning of JSON: see `midtoken`. */
      readonly tool_calls?: ToolCall[];
      /** Present if the answer was cut inside a tool call. */
      readonly midtoken?: CutCall;
    };
    readonly logprobs: ChatLogprobs | null;
    readonly finish_reason: ChatFinishReason;
  }[];
  readonly usage: CompletionUsage;
  readonly midtoken: ResponseExtension;
}

/** An answer that ended in the middle of a tool call. */
export interface CutCall {
  /**
   * Place of that call. `tool_calls` has it with the arguments as far as they came, which are no JSON; it has no entry for a call
   * whose name had not come. The calls before it are whole.
   */
  readonly cut_tool_call?: number;
}

export interface ChatCompletionDelta {
  readonly role?: "assistant";
  readonly content?: string | null;
  /** Follows the reasoning so far. */
  readonly reasoning_content?: string;
  readonly tool_calls?: {
    readonly index: number;
    readonly id?: string;
    readonly type?: "function";
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
  /** Text that is taken back: the last so many UTF-16 units of content or reasoning. Only if the request has `retract`. */
  readonly midtoken?: { readonly retract?: number; readonly retract_reasoning?: number } & CutCall;
}

export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  /** Empty in the last chunk if usage was requested. */
  readonly choices: {
    readonly index: number;
    readonly delta: ChatCompletionDelta;
    readonly logprobs: ChatLogprobs | null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage?: CompletionUsage | null;
  /** In the first chunk. */
  readonly midtoken?: ResponseExtension;
}
