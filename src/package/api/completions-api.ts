/** OpenAI's calls on an engine: whole answers and streams. Types only. */

/**
 * The options that OpenAI's client takes for its HTTP requests (`timeout`, `headers`, `maxRetries` and others) are accepted and
 * change nothing: an engine makes no HTTP request. Any other option is refused with a suggestion.
 */
export interface CallOptions {
  /** Cancels the request: the promise or stream rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * The chunks of a streamed answer. Iterate once: a second loop throws. Leaving the loop early (`break`) cancels the request. The
 * loop throws an ApiError if the request fails while it runs.
 */
export interface CompletionStream<Chunk> extends AsyncIterable<Chunk> {
  /** Ids of the requests, one for each choice. */
  readonly requestIds: readonly string[];
  /** Cancels the request: the loop that reads it throws an AbortError. */
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
