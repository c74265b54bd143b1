/** The pieces of an answer as server-sent events, in the two formats of OpenAI. */
import { ApiError } from "../api/api-error.ts";
import type { CompletionStream } from "../api/completions-api.ts";
import type { AnswerNotes } from "./answer-notes.ts";
import { apiErrorOf, errorBody } from "./http-error.ts";

/** Milliseconds. */
export interface StreamWaits {
  /** Before the head of the response is sent without a first piece. An error that comes earlier has its own status. */
  readonly head: number;
  /** Without a piece, before a comment tells the client and proxies that the answer still comes. */
  readonly keepAlive: number;
}

/** Proxies give up after 30 s or more of silence, and browsers end an idle service worker after about 30 s. */
export const streamWaits: StreamWaits = { head: 1_000, keepAlive: 10_000 };

/** How the pieces of a call are written. Each text is a whole event. */
export interface EventFormat<Piece> {
  piece(piece: Piece): string;
  /** An error after the status was sent: OpenAI's clients throw what it says. */
  error(error: ApiError): string;
  /** After the last piece; "" for none. */
  readonly end: string;
}

const dataOf = (text: string): string => `data: ${text}\n\n`;

/** Completions: `data: JSON`, and `data: [DONE]` after the last piece. */
export const completionFormat: EventFormat<unknown> = {
  piece: (piece) => dataOf(JSON.stringify(piece)),
  error: (error) => dataOf(JSON.stringify(errorBody(error))),
  end: dataOf("[DONE]"),
};

/** Responses: each event is named by its type, and the last one says how the response ended. */
export const responseFormat: EventFormat<{ readonly type: string }> = {
  piece: (event) => `event: ${event.type}\n${dataOf(JSON.stringify(event))}`,
  error(error) {
    const { error: about } = errorBody(error);
    // The fields stand in the event, as its schema has it, and in `error`, where clients look for them.
    return `event: error\n${dataOf(JSON.stringify({ ...about, type: "error", error: about }))}`;
  },
  end: "",
};

export interface StreamListener {
  /**
   * The signal of the request. If the client aborts, nobody reads any more. If it is aborted with an ApiError, the
   * stream ends with that error.
   */
  readonly signal: AbortSignal;
  readonly notes?: AnswerNotes;
  readonly waits?: StreamWaits;
}

const comment = ": keep-alive\n\n";

/**
 * Waits a moment for the first piece, so that a request that is refused at once is answered with its own status. After that the
 * stream begins, with comments until a piece comes. Pieces are taken as fast as the reader reads; a reader that goes away ends
 * the request.
 * @throws what the first piece throws
 */
export async function eventStream<Piece>(
  pieces: CompletionStream<Piece>,
  { signal, notes, waits = streamWaits }: StreamListener,
  format: EventFormat<Piece> = completionFormat,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Piece>> | null = iterator.next();
  let first: IteratorResult<Piece> | typeof silent | null = await within(next, waits.head);
  const silence = new Silence(waits.keepAlive);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        try {
          next ??= iterator.next();
          // A client that has only the head learns at once that the stream has begun.
          const piece = first ?? (await silence.orPiece(next));
          first = null;
          if (piece === silent) {
            send(comment);
            return;
          }
          next = null;
          if (!piece.done) {
            send(format.piece(piece.value));
            return;
          }
          if (format.end !== "") send(format.end);
        } catch (error) {
          silence.end();
          if (signal.aborted && !(signal.reason instanceof ApiError)) throw error;
          const said = apiErrorOf(error);
          if (notes) notes.error = said.code;
          send(format.error(said));
        }
        silence.end();
        controller.close();
      },
      cancel() {
        silence.end();
        // `iterator.return` would wait for the next piece.
        pieces.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

const silent = Symbol("silent");

/** Tells when no piece came for some time. One timer serves many pieces: a timer for each of them would be most of the work. */
class Silence {
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the wait for the next piece began. */
  #since = 0;
  #tell: ((value: typeof silent) => void) | null = null;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Settles as the promise does, or resolves to `silent` if that takes longer. */
  orPiece<Value>(piece: Promise<Value>): Promise<Value | typeof silent> {
    this.#since = performance.now();
    this.#timer ??= setTimeout(() => this.#check(), this.#ms);
    return new Promise((resolve, reject) => {
      this.#tell = resolve;
      // After a silence the caller waits for the same promise again. A second call of `resolve` has no effect.
      piece.then(resolve, reject);
    });
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#tell = null;
  }

  #check(): void {
    const left = this.#since + this.#ms - performance.now();
    this.#timer = null;
    if (left > 0) this.#timer = setTimeout(() => this.#check(), left);
    else this.#tell?.(silent);
  }
}

/** Settles as the promise does, or resolves to `silent` if that takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | typeof silent> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof silent>((resolve) => {
    timer = setTimeout(resolve, ms, silent);
  });
  // A failure that comes late is reported by whoever waits for the promise next.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
