/** OpenAI's calls on an engine, with complete or streamed answers. Types only. */

/**
 * OpenAI's client has options for its HTTP requests (`timeout`, `headers`, `maxRetries` and others). They are accepted but
 * have no effect, because an engine makes no HTTP requests. Any other option is refused with a suggestion.
 */
export interface CallOptions {
  /** Cancels the request: the promise or stream rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * The chunks of a streamed answer. It can be iterated once: a second loop throws. Leaving the loop early (`break`) cancels
 * the request. The loop throws an ApiError if the request fails while it runs.
 */
export interface CompletionStream<Chunk> extends AsyncIterable<Chunk> {
  /** Ids of the requests, one for each choice. */
  readonly requestIds: readonly string[];
  /** Cancels the request: the loop that reads the stream throws an AbortError. */
  abort(): void;
}

export interface Completions<Request, Answer, Chunk> {
  create(
    request: Request & { readonly stream: true },
    options?: CallOptions,
  ): Promise<CompletionStream<Chunk>>;
  create(request: Request & { readonly stream?: false | null }, options?: CallOptions): Promise<Answer>;
  create(request: Request, options?: CallOptions): Promise<Answer | CompletionStream<Chunk>>;
}
