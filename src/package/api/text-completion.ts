/** The types of `POST /v1/completions`, as in OpenAI's API reference, without the refused fields. */
import type { OuterNamesOf } from "../../core/base/request-fields.ts";
import type { ChatCompletionRequest, CompletionUsage, ResponseExtension } from "./chat-completion.ts";

/** Fields of a chat request that this call does not have. */
type ChatAlone = Exclude<OuterNamesOf<"chat">, OuterNamesOf<"text">>;

type Shared = Omit<
  ChatCompletionRequest,
  "messages" | "logprobs" | "top_logprobs" | "reasoning_effort" | ChatAlone
>;

export interface TextCompletionRequest extends Shared {
  /** The model continues exactly this text, without a chat template. */
  readonly prompt: string | readonly string[];
  /** The number of most likely tokens to return for each token, 0 to 5. */
  readonly logprobs?: number | null;
  /** Whether the answer begins with the prompt. */
  readonly echo?: boolean | null;
}

/** As in OpenAI's API, an unknown log-probability is -9999. */
export interface TextLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  /** Empty for a token whose distribution is unknown. */
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** UTF-16 offset of each token in the text. */
  readonly text_offset: readonly number[];
}

export interface TextCompletion {
  readonly id: string;
  readonly object: "text_completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly logprobs: TextLogprobs | null;
    /** Null in a stream until the choice's last chunk. */
    readonly finish_reason: "stop" | "length" | null;
    /** `retract`: the number of UTF-16 units to remove from the end of the text so far. Only if the request asked for it. */
    readonly midtoken?: { readonly retract: number };
  }[];
  readonly usage?: CompletionUsage | null;
  readonly midtoken?: ResponseExtension;
}
