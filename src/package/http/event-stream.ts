/** Sends the pieces of an answer as server-sent events, in OpenAI's two formats. */
import { ApiError } from "../api/api-error.ts";
import type { CompletionStream } from "../api/completions-api.ts";
import { apiErrorOf, errorBody } from "./http-error.ts";
import type { ResponseLogNotes } from "./response-notes.ts";

/** Milliseconds. */
export interface EventStreamDelays {
  /**
   * How long to wait for a first piece before the head of the response is sent. An error that comes earlier gets its own
   * status.
   */
  readonly head: number;
  /** After this time without a piece, a comment tells the client and proxies that the answer continues. */
  readonly keepAlive: number;
}

/** Proxies give up after 30 s or more without data, and browsers end an idle service worker after about 30 s. */
export const defaultStreamDelays: EventStreamDelays = { head: 1_000, keepAlive: 10_000 };

/** How the pieces of a call are written. Each text is a complete event. */
export interface EventFormat<Piece> {
  piece(piece: Piece): string;
  /** An error after the status was sent. OpenAI's clients throw it. */
  error(error: ApiError): string;
  /** The text after the last piece; "" for none. */
  readonly end: string;
}

const dataOf = (text: string): string => `data: ${text}\n\n`;

/** Completions: `data: JSON`, and `data: [DONE]` after the last piece. */
export const completionEventFormat: EventFormat<unknown> = {
  piece: (piece) => dataOf(JSON.stringify(piece)),
  error: (error) => dataOf(JSON.stringify(errorBody(error))),
  end: dataOf("[DONE]"),
};

/** Responses: each event has its type as its name, and the last one says how the response ended. */
export const responseEventFormat: EventFormat<{ readonly type: string }> = {
  piece: (event) => `event: ${event.type}\n${dataOf(JSON.stringify(event))}`,
  error(error) {
    const { error: about } = errorBody(error);
    // The fields are in the event itself, as its schema requires, and in `error`, where clients read them.
    return `event: error\n${dataOf(JSON.stringify({ ...about, type: "error", error: about }))}`;
  },
  end: "",
};

export interface EventStreamOptions {
  /**
   * The signal of the request. If the client aborts it, nobody reads any more. If it is aborted with an ApiError, the stream
   * ends with that error.
   */
  readonly signal: AbortSignal;
  readonly notes?: ResponseLogNotes;
  readonly waits?: EventStreamDelays;
}

const comment = ": keep-alive\n\n";

/**
 * Waits briefly for the first piece, so that a request that is refused at once gets its own status. Then the stream begins,
 * with comments until a piece comes. Pieces are taken as fast as the client reads. A client that leaves ends the request.
 * @throws the error of the first piece
 */
export async function createEventStream<Piece>(
  pieces: CompletionStream<Piece>,
  { signal, notes, waits = defaultStreamDelays }: EventStreamOptions,
  format: EventFormat<Piece> = completionEventFormat,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Piece>> | null = iterator.next();
  let first: IteratorResult<Piece> | typeof silent | null = await within(next, waits.head);
  const keepAliveTimer = new KeepAliveTimer(waits.keepAlive);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        try {
          next ??= iterator.next();
          // Send the head at once, so that a client learns that the stream has begun.
          const piece = first ?? (await keepAliveTimer.orPiece(next));
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
          keepAliveTimer.end();
          if (signal.aborted && !(signal.reason instanceof ApiError)) throw error;
          const said = apiErrorOf(error);
          if (notes) notes.error = said.code;
          send(format.error(said));
        }
        keepAliveTimer.end();
        controller.close();
      },
      cancel() {
        keepAliveTimer.end();
        // Not `iterator.return`, which would wait for the next piece.
        pieces.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

const silent = Symbol("silent");

/** Reports that no piece came for some time. All pieces share one timer, because a timer for each piece would be most of the work. */
class KeepAliveTimer {
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the wait for the next piece began. */
  #since = 0;
  #tell: ((value: typeof silent) => void) | null = null;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Settles like the promise, or resolves to `silent` if that takes longer. */
  orPiece<Value>(piece: Promise<Value>): Promise<Value | typeof silent> {
    this.#since = performance.now();
    this.#timer ??= setTimeout(() => this.#check(), this.#ms);
    return new Promise((resolve, reject) => {
      this.#tell = resolve;
      // After `silent`, the caller waits for the same promise again. Calling `resolve` twice has no effect.
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

/** Settles like the promise, or resolves to `silent` if that takes longer. */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | typeof silent> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof silent>((resolve) => {
    timer = setTimeout(resolve, ms, silent);
  });
  // If the promise rejects later, the code that waits for it next gets the error.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
