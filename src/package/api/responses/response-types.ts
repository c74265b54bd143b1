/**
 * A response and its items, as in OpenAI's API reference. Lists are not read-only, so that code written for the types of
 * OpenAI's client accepts an answer. Fields named `midtoken` are not in OpenAI's API.
 */
import type { PropertyOrder } from "../../../core/sdk/request.ts";
import type { ChatTokenLogprob, ResponseExtension } from "../chat-completion.ts";

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";
export type ResponseItemStatus = "in_progress" | "completed" | "incomplete";

export interface ResponseOutputText {
  readonly type: "output_text";
  readonly text: string;
  /** Always empty. */
  readonly annotations: never[];
  /** Only if `include` names `message.output_text.logprobs`. */
  readonly logprobs?: ResponseLogprob[];
}

export interface ResponseLogprob extends Omit<ChatTokenLogprob, "bytes" | "top_logprobs"> {
  readonly bytes: number[];
  readonly top_logprobs: { readonly token: string; readonly logprob: number; readonly bytes: number[] }[];
}

export interface ResponseOutputMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly status: ResponseItemStatus;
  readonly content: ResponseOutputText[];
}

export interface ResponseFunctionCall {
  readonly id: string;
  readonly type: "function_call";
  /** The id by which `function_call_output` refers to this call. */
  readonly call_id: string;
  readonly name: string;
  /** Arguments as JSON text. */
  readonly arguments: string;
  readonly status: ResponseItemStatus;
}

/** The model's reasoning before its answer. */
export interface ResponseReasoning {
  readonly id: string;
  readonly type: "reasoning";
  /** Always empty: the whole reasoning is in `content`. */
  readonly summary: never[];
  readonly content: { readonly type: "reasoning_text"; readonly text: string }[];
  readonly status: ResponseItemStatus;
}

export type ResponseOutputItem = ResponseReasoning | ResponseOutputMessage | ResponseFunctionCall;

export interface ResponseInputText {
  readonly type: "input_text";
  readonly text: string;
}

export interface ResponseInputMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "user" | "system" | "developer";
  readonly status: "completed";
  readonly content: ResponseInputText[];
}

export interface ResponseFunctionCallOutput {
  readonly id: string;
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
  readonly status: "completed";
}

/** An item of a conversation, as stored. */
export type ResponseItem = ResponseOutputItem | ResponseInputMessage | ResponseFunctionCallOutput;

export interface ResponseFunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | null;
  /** JSON Schema of the arguments. */
  readonly parameters: { [key: string]: unknown } | null;
  /** Arguments always match the schema, whatever the request asked for. */
  readonly strict: boolean | null;
  /** Midtoken's own: the order of the call's arguments; by default "required". */
  readonly order?: PropertyOrder;
}

export type ResponseToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly name: string };

export type ResponseTextFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly schema: { [key: string]: unknown };
      readonly description?: string;
      readonly strict?: boolean | null;
      /** Midtoken's own: the order of the properties; by default "required". */
      readonly order?: PropertyOrder;
    };

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  /** Without hidden tokens. */
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
  readonly midtoken: { readonly hidden_tokens: number; readonly forward_passes: number };
}

export interface ResponseFailure {
  /** OpenAI's two codes: "invalid_prompt" if the request caused the error, else "server_error". */
  readonly code: "server_error" | "invalid_prompt";
  readonly message: string;
  readonly param: string | null;
  /** The code and status that the same failure has without streaming, for example `mod_failed` and 422. */
  readonly midtoken: { readonly code: string; readonly status: number };
}

/** A response. Not named `Response`, which is the result of `fetch`. */
export interface ModelResponse {
  readonly id: string;
  readonly object: "response";
  /** Seconds since 1970. */
  readonly created_at: number;
  /** Null until the response is completed. */
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly error: ResponseFailure | null;
  readonly incomplete_details: { readonly reason: "max_output_tokens" } | null;
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly metadata: { [key: string]: string };
  /** The requested model string, mods included. */
  readonly model: string;
  readonly output: ResponseOutputItem[];
  /** The texts of all messages of `output`. */
  readonly output_text: string;
  readonly parallel_tool_calls: boolean;
  readonly previous_response_id: string | null;
  readonly reasoning: { readonly effort: "none" | null; readonly summary: null };
  readonly store: boolean;
  readonly temperature: number;
  readonly text: { readonly format: ResponseTextFormat };
  readonly tool_choice: ResponseToolChoice;
  readonly tools: ResponseFunctionTool[];
  readonly top_logprobs: number;
  readonly top_p: number;
  readonly truncation: "disabled";
  readonly background: false;
  readonly access_programs: null;
  readonly user?: string;
  /** Absent until the response has ended. */
  readonly usage?: ResponseUsage;
  readonly midtoken: ResponseExtension;
}

/** The fields of a response that repeat its request. */
export type EchoedRequestFields = Pick<
  ModelResponse,
  | "instructions"
  | "max_output_tokens"
  | "metadata"
  | "parallel_tool_calls"
  | "previous_response_id"
  | "reasoning"
  | "store"
  | "temperature"
  | "text"
  | "tool_choice"
  | "tools"
  | "top_logprobs"
  | "top_p"
  | "user"
>;

export interface ResponseItemList {
  readonly object: "list";
  readonly data: ResponseItem[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

export interface ResponseDeleted {
  readonly id: string;
  readonly object: "response";
  readonly deleted: true;
}
