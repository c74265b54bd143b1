/** Asks a service with OpenAI's chat API, and records the answer while it streams. */

import { messageOf } from "../../../core/base/message-of.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { Trace } from "../../../core/trace/format/format.ts";
import { traceLimits } from "../../../core/trace/format/limits.ts";
import { type RemoteAccess, ServerConnection } from "../../../runtime/remote/connection.ts";
import { dataText, type EventData } from "../../../runtime/remote/event-stream.ts";
import type { HttpExchange } from "../../../runtime/remote/exchange.ts";
import {
  RemoteEngineError,
  streamEndedEarlyError,
  streamFailedError,
  streamNotJsonError,
} from "../../../runtime/remote/remote-error.ts";
import { type ChatChunk, parseChatChunk } from "./chat-chunk.ts";
import { completeFinishReasons, type WatchedRequest, WatchedTraceRecorder } from "./watched-trace.ts";

export interface WatchOptions {
  /** Address of the API, such as https://api.openai.com/v1, and its key. */
  readonly access: Pick<RemoteAccess, "url" | "key">;
  readonly exchange: HttpExchange;
  /** Alternatives of each token. */
  readonly top: number;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: (text: string) => void;
  readonly now?: () => number;
}

export interface WatchedOutput {
  readonly trace: Trace;
  /** The error that ended the answer early; null if none did. The trace has the text so far. */
  readonly error: unknown;
}

/** For messages. */
const chatService = "a service with OpenAI's chat API";
const path = "/chat/completions";
const mostBytes = traceLimits.fileBytes;

/** @throws RemoteEngineError for an address or a key that cannot be used */
export async function watchChat(request: WatchedRequest, options: WatchOptions): Promise<WatchedOutput> {
  const { access, exchange, top, signal, onText, now = () => performance.now() } = options;
  const connection = new ServerConnection(access, exchange, chatService);
  const trace = new WatchedTraceRecorder(request, now);
  const ending = new AbortController();
  const stream = new ChunkReader(connection.origin, (chunk) => {
    trace.add(chunk);
    if (chunk.text !== "") onText?.(chunk.text);
  });
  const onEvent = (data: EventData): void => {
    // An error thrown here would leave the connection open and end the process.
    if (!stream.take(dataText(data))) ending.abort(stream.error);
  };
  const within = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const error = await connection
    .stream(path, bodyOf(request, top), { signal: within, maxBytes: mostBytes, onEvent })
    .then(
      () => stream.error ?? stream.endProblem(),
      (failure: unknown) => stream.error ?? failure,
    );
  const isStop = signal?.aborted === true;
  return { trace: trace.end(error === null ? null : { message: messageOf(error), isStop }), error };
}

function bodyOf(request: WatchedRequest, top: number): object {
  const { model, messages, temperature, topP, maxTokens, seed, stop } = request;
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    logprobs: true,
    top_logprobs: top,
    temperature,
    top_p: topP,
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    ...(seed !== null && { seed }),
    ...(stop.length > 0 && { stop }),
  };
}

class ChunkReader {
  readonly #origin: string;
  readonly #onChunk: (chunk: ChatChunk) => void;
  #reason: string | null = null;
  error: unknown = null;

  constructor(origin: string, onChunk: (chunk: ChatChunk) => void) {
    this.#origin = origin;
    this.#onChunk = onChunk;
  }

  /** False after an event that is not understood. */
  take(data: string): boolean {
    if (this.error !== null) return false;
    try {
      this.#read(data);
      return true;
    } catch (error) {
      this.error = error;
      return false;
    }
  }

  /** The error of an answer that has no end, or was ended by the service; null for a whole answer. */
  endProblem(): RemoteEngineError | null {
    if (this.#reason === null) return streamEndedEarlyError(this.#origin);
    if (completeFinishReasons.includes(this.#reason)) return null;
    return new RemoteEngineError("server", `The service ended the answer with the reason ${this.#reason}.`);
  }

  #read(data: string): void {
    if (data === "[DONE]") return;
    const event = parsed(data, this.#origin);
    if (isRecord(event) && event.error) throw streamFailedError(this.#origin, event.error);
    const chunk = parseChatChunk(event);
    this.#reason ??= chunk.finishReason;
    this.#onChunk(chunk);
  }
}

function parsed(data: string, origin: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw streamNotJsonError(origin, chatService, cause);
  }
}
