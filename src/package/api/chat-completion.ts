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
  /** Number of tokens that a stream holds back, because a mod may still remove them; see `TextStreamOptions.holdback`. */
  readonly holdback?: number | "all" | "auto";
  /** Whether the stream sends text at once, and reports with `delta.midtoken.retract` how much of it a mod removed. */
  readonly retract?: boolean;
  /** By default "stop": the request ends when one of its mods fails. */
  readonly on_mod_error?: "stop" | "continue";
  /** The most forward passes. */
  readonly budget?: number;
  /** Whether prompt lookup guesses the next tokens (draft tokens). By default only on WebAssembly; see docs/embed.md. */
  readonly prompt_lookup?: boolean;
  /**
   * Whether names of special tokens in the messages (such as `<|im_end|>`) become special tokens. By default they stay text,
   * because a message could otherwise begin a turn of another role. In the prompt of `/v1/completions` they always become
   * special tokens.
   */
  readonly parse_special?: boolean;
  /**
   * False switches off token healing. By default a text that a mod or the prompt of `/v1/completions` puts before the
   * model's own tokens may end within a word: its last tokens are then removed, and the model's next token must begin with
   * their text.
   */
  readonly heal?: boolean;
  /** "ignore": unknown fields of messages are ignored, for clients that add fields of their own. By default "refuse", because a misspelled field would otherwise have no effect. */
  readonly unknown_message_fields?: "refuse" | "ignore";
  /** Milliseconds that each mod may take. */
  readonly deadlines?: { readonly load?: number; readonly prefilled?: number; readonly event?: number };
}

/** A part of a message. Types other than "text" are refused when the request is read, because these models read only text. */
export interface ChatContentPart {
  readonly type: string;
  readonly text?: string;
}

/**
 * A message in OpenAI's types, so that a list of `OpenAI.ChatCompletionMessageParam` is accepted. Content that these models
 * cannot read, such as pictures and the role "function", is refused when the request is read.
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
  /** The model's reasoning, in an earlier answer. The chat template decides whether the model sees it again. */
  readonly reasoning_content?: string | null;
  /** The text of a refusal, in an earlier answer without content. */
  readonly refusal?: string | null;
}

/** Arguments always match the tool's schema, so `strict` is accepted but has no effect. */
export interface ChatFunctionTool extends ToolDefinition {
  readonly function: ToolDefinition["function"] & { readonly strict?: boolean | null };
}

/** Tools whose input is any text exist only in OpenAI's API, so they are refused when the request is read. */
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
  /** Not in OpenAI's API, but in most compatible servers. */
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
  /** Phrases that the output must not contain, in upper or lower case. If one appears, it is removed, and its first token is banned at that position. */
  readonly banned_strings?: string | readonly string[] | null;
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  /** `schema` with "json_object" is llama.cpp's form. */
  readonly response_format?:
    | ResponseFormat
    | { readonly type: "json_object"; readonly schema?: Readonly<Record<string, unknown>> };
  /** Whether a model that can think does so before it answers. By default its chat template decides. */
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean; readonly thinking?: boolean } | null;
  /** The same as `enable_thinking: false`. Other efforts are refused. */
  readonly reasoning_effort?: "none" | null;
  /** An id of the user. If several users send requests at the same time, they take turns. */
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
  /** Number of tokens of the answer, without hidden tokens. */
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  /** How many of the completion tokens were reasoning. */
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
  readonly midtoken: { readonly hidden_tokens: number; readonly forward_passes: number };
}

/** Midtoken's own fields of a response. */
export interface ResponseExtension {
  /** The request ids of the choices, in order; for `engine.requests` and `GET /v1/requests/ID/trace`. */
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
      /** The model's reasoning before its answer, without the marks around it. Absent if the model did not think. */
      readonly reasoning_content?: string;
      /** If the answer was cut inside a call, the arguments of this call are only the beginning of a JSON text: see `midtoken`. */
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
  /** Index of the call in which the answer was cut. `tool_calls` contains this call with incomplete arguments, unless its name was incomplete too. The calls before it are complete. */
  readonly cut_tool_call?: number;
}

export interface ChatCompletionDelta {
  readonly role?: "assistant";
  readonly content?: string | null;
  /** The next part of the reasoning. */
  readonly reasoning_content?: string;
  readonly tool_calls?: {
    readonly index: number;
    readonly id?: string;
    readonly type?: "function";
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
  /** Number of UTF-16 units to remove from the end of content or reasoning. Only if the request has `retract`. */
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
  /** Only in the first chunk. */
  readonly midtoken?: ResponseExtension;
}
