/** Converts chunks of a chat completion to the parts of the AI SDK's stream. */
import type {
  JSONObject,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type {
  ChatCompletionChunk,
  ChatFinishReason,
  ChatTokenLogprob,
  CompletionUsage,
} from "../api/chat-completion.ts";

type Part = LanguageModelV4StreamPart;
type CallDelta = NonNullable<ChatCompletionChunk["choices"][number]["delta"]["tool_calls"]>[number];

interface OpenCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

const unifiedReasons = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
} as const satisfies Record<ChatFinishReason, LanguageModelV4FinishReason["unified"]>;

/** The id of the answer's text. An answer has one text, before its tool calls. */
const textId = "0";
/** The id of the model's reasoning, which comes before the answer. */
const reasoningId = "reasoning";

/** Makes the stream parts of one choice. Each call returns the next parts. */
export class StreamPartMaker {
  #hasBegun = false;
  #isReasoningOpen = false;
  #isTextOpen = false;
  readonly #calls = new Map<number, OpenCall>();
  /** Index of the call in which the answer was cut. */
  #cut: number | null = null;
  #finishReason: ChatFinishReason | null = null;
  #usage: CompletionUsage | null = null;
  #logprobs: ChatTokenLogprob[] | null = null;

  get logprobs(): readonly ChatTokenLogprob[] | null {
    return this.#logprobs;
  }

  get cutToolCall(): number | null {
    return this.#cut;
  }

  /** The parts of a chunk. `metadata`: the metadata of the text so far, if it is new. */
  push(chunk: ChatCompletionChunk, metadata: SharedV4ProviderMetadata | null): Part[] {
    const parts: Part[] = [];
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { id, created, model } = chunk;
      parts.push({ type: "response-metadata", id, timestamp: new Date(created * 1000), modelId: model });
    }
    if (chunk.usage) this.#usage = chunk.usage;
    const [choice] = chunk.choices;
    if (!choice) return parts;
    const { content, reasoning_content: reasoning, tool_calls: calls, midtoken } = choice.delta;
    this.#cut = midtoken?.cut_tool_call ?? this.#cut;
    if (reasoning) parts.push(...this.#reasoning(reasoning));
    if (content) parts.push(...this.#text(content, metadata));
    for (const call of calls ?? []) parts.push(...this.#call(call, metadata));
    if (choice.logprobs?.content) this.#logprobs = [...(this.#logprobs ?? []), ...choice.logprobs.content];
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
    return parts;
  }

  /** The last parts, after the last chunk or a failure. `rawReason`: Midtoken's own finish reason. */
  end(isWhole: boolean, rawReason: string | undefined, metadata: SharedV4ProviderMetadata): Part[] {
    const parts = this.#endText(metadata);
    for (const [place, { id, name, input }] of isWhole ? this.#calls : []) {
      parts.push({ type: "tool-input-end", id });
      // A call whose arguments are incomplete cannot be run.
      if (place !== this.#cut) parts.push({ type: "tool-call", toolCallId: id, toolName: name, input });
    }
    const unified = isWhole && this.#finishReason ? unifiedReasons[this.#finishReason] : "error";
    const raw = rawReason ?? this.#finishReason ?? undefined;
    const finishReason: LanguageModelV4FinishReason = { unified, raw };
    parts.push({
      type: "finish",
      finishReason,
      usage: usageOf(this.#usage),
      providerMetadata: metadata,
    });
    return parts;
  }

  #reasoning(delta: string): Part[] {
    const part: Part = { type: "reasoning-delta", id: reasoningId, delta };
    if (this.#isReasoningOpen) return [part];
    this.#isReasoningOpen = true;
    return [{ type: "reasoning-start", id: reasoningId }, part];
  }

  #endReasoning(): Part[] {
    if (!this.#isReasoningOpen) return [];
    this.#isReasoningOpen = false;
    return [{ type: "reasoning-end", id: reasoningId }];
  }

  #text(delta: string, metadata: SharedV4ProviderMetadata | null): Part[] {
    const part: Part = {
      type: "text-delta",
      id: textId,
      delta,
      ...(metadata && { providerMetadata: metadata }),
    };
    if (this.#isTextOpen) return [part];
    this.#isTextOpen = true;
    return [...this.#endReasoning(), { type: "text-start", id: textId }, part];
  }

  #endText(metadata: SharedV4ProviderMetadata | null): Part[] {
    if (!this.#isTextOpen) return this.#endReasoning();
    this.#isTextOpen = false;
    return [{ type: "text-end", id: textId, ...(metadata && { providerMetadata: metadata }) }];
  }

  #call(delta: CallDelta, metadata: SharedV4ProviderMetadata | null): Part[] {
    const parts = this.#endText(metadata);
    const open = this.#calls.get(delta.index) ?? this.#open(delta, parts);
    const input = delta.function?.arguments ?? "";
    open.input += input;
    if (input !== "") parts.push({ type: "tool-input-delta", id: open.id, delta: input });
    return parts;
  }

  #open({ index, id, function: called }: CallDelta, parts: Part[]): OpenCall {
    if (id === undefined || called?.name === undefined) {
      throw new Error(
        `Tool call ${index} began without an id or a name. This is a bug in Midtoken: please report it.`,
      );
    }
    const open = { id, name: called.name, input: "" };
    this.#calls.set(index, open);
    parts.push({ type: "tool-input-start", id, toolName: open.name });
    return open;
  }
}

function usageOf(usage: CompletionUsage | null): LanguageModelV4Usage {
  const input = usage?.prompt_tokens;
  const cached = usage?.prompt_tokens_details.cached_tokens;
  const output = usage?.completion_tokens;
  const reasoning = usage?.completion_tokens_details.reasoning_tokens;
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined || cached === undefined ? undefined : input - cached,
      cacheRead: cached,
      cacheWrite: undefined,
    },
    // Hidden tokens are not counted, because they are not in the answer. `raw` and the provider metadata contain them.
    outputTokens: { total: output, text: usage ? textTokens(usage) : undefined, reasoning },
    ...(usage && { raw: usage as unknown as JSONObject }),
  };
}

function textTokens({ completion_tokens: all, completion_tokens_details: details }: CompletionUsage): number {
  return all - details.reasoning_tokens;
}
