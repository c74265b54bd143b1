/** The shapes of `POST /v1/completions`, as OpenAI's API reference has them, without what is refused. */
import type { OuterNamesOf } from "../../core/base/request-fields.ts";
import type { ChatCompletionRequest, CompletionUsage, ResponseExtension } from "./chat-completion.ts";

/** Fields of a chat request that this call does not take. */
type ChatAlone = Exclude<OuterNamesOf<"chat">, OuterNamesOf<"text">>;

type Shared = Omit<
  ChatCompletionRequest,
  "messages" | "logprobs" | "top_logprobs" | "reasoning_effort" | ChatAlone
>;

export interface TextCompletionRequest extends Shared {
  /** The model goes on with exactly this text: no chat template. */
  readonly prompt: string | readonly string[];
  /** The number of most likely tokens to return for each step, 0 to 5. */
  readonly logprobs?: number | null;
  /** The answer begins with the prompt. */
  readonly echo?: boolean | null;
}

/** As OpenAI has it, an unknown log-probability is -9999. */
export interface TextLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  /** Empty for a token whose distribution is not known. */
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** UTF-16 place of each token in the text. */
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
    /** `retract`: so many UTF-16 units at the end of the text so far are taken back. Only where the request asked for it. */
    readonly midtoken?: { readonly retract: number };
  }[];
  readonly usage?: CompletionUsage | null;
  readonly midtoken?: ResponseExtension;
}
