/** A stream of steps: the server continues with its own most likely tokens, and sends the top-k list of each step as it is computed. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { dataText, type EventData } from "./event-stream.ts";
import { cutList } from "./listed-entries.ts";
import {
  hasNoProbabilities,
  parsePredictedTokenCount,
  parseStep,
  parseStreamLength,
  parseTokensToCompute,
  type ServerStep,
} from "./parse-responses.ts";
import {
  RemoteEngineError,
  streamEndedEarlyError,
  streamFailedError,
  streamNotJsonError,
} from "./remote-error.ts";

/** A stream that was asked for. */
export interface StreamRequest {
  /** Address for messages. */
  readonly origin: string;
  readonly vocabularySize: number;
  /** Tokens that each step lists. */
  readonly listed: number;
  /** Steps that were asked for. */
  readonly count: number;
  /** Tokens of the text after which the stream begins. */
  readonly textLength: number;
  /** Called once, with the tokens of the text that the server computed. */
  readonly onComputed: (tokens: number) => void;
}

type Send = (onEvent: (data: EventData) => void, signal: AbortSignal) => Promise<void>;

export class StepStream {
  readonly listed: number;
  readonly #request: StreamRequest;
  readonly #connection = new AbortController();
  readonly #events: EventData[] = [];
  #given = 0;
  #last: TokenId | null = null;
  #hasComputed = false;
  #isOver = false;
  #hasSkipped = false;
  /** Set when the connection has ended, with the error that ended it. */
  #ended: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;
  /** The signal of the request, which wakes a waiting `next`. */
  #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#wake?.();

  constructor(request: StreamRequest, send: Send) {
    this.#request = request;
    this.listed = request.listed;
    const onEvent = (data: EventData): void => {
      if (this.#isOver) this.#hearEnd(data);
      else this.#events.push(data);
      this.#wake?.();
    };
    send(onEvent, this.#connection.signal).then(
      () => this.#end(null),
      (error: unknown) => this.#end(error),
    );
  }

  /** Steps that it gave. */
  get given(): number {
    return this.#given;
  }

  /** The server made a token after the last step without telling which: it is part of a character. */
  get hasSkipped(): boolean {
    return this.#hasSkipped;
  }

  /** Every step that was asked for has been given. */
  get isWhole(): boolean {
    return this.#given === this.#request.count;
  }

  /** Whether the next step is the one after these tokens, which follow a text of `length` tokens. */
  goesOnAfter(length: number, tokens: readonly TokenId[]): boolean {
    const expected = this.#request.textLength + this.#given - 1;
    return tokens.length === 1 && tokens[0] === this.#last && length === expected;
  }

  /**
   * The next step; null if the stream gives no more, so that the step has to be asked for.
   * @throws RemoteEngineError, or the signal's reason
   */
  async next(signal: AbortSignal | undefined): Promise<ServerStep | null> {
    while (!this.#isOver && !this.isWhole) {
      const event = this.#events.shift();
      const step = event === undefined ? null : this.#read(event);
      if (step) return step;
      if (event === undefined) await this.#more(signal);
    }
    return null;
  }

  /**
   * Closes the connection unless the server has ended it. If the server made every token that was asked for, it ends the stream
   * itself, and the connection can serve the next request.
   */
  close(): void {
    this.#isOver = true;
    this.#listenTo(undefined);
    const unread = this.#events.splice(0);
    if (!this.isWhole) this.#abort();
    for (const data of unread) this.#hearEnd(data);
  }

  /** A server that goes on after the tokens that were asked for is cut off. */
  #hearEnd(data: EventData): void {
    if (!endField.test(dataText(data))) this.#abort();
  }

  #abort(): void {
    if (!this.#ended) this.#connection.abort(new Error("The stream is no longer needed."));
  }

  /** @throws RemoteEngineError for a stream that ended before its last event, or the signal's reason */
  async #more(signal: AbortSignal | undefined): Promise<void> {
    if (this.#ended) throw this.#ended.error ?? streamEndedEarlyError(this.#request.origin);
    this.#listenTo(signal);
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    signal?.throwIfAborted();
  }

  /** One listener for all steps: adding and removing a listener at each step takes as long as reading the step. */
  #listenTo(signal: AbortSignal | undefined): void {
    if (signal === this.#signal) return;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    signal?.addEventListener("abort", this.#onAbort);
    this.#signal = signal;
  }

  #end(error: unknown): void {
    this.#ended = { error };
    this.#wake?.();
  }

  /** Null for an event that is not a step. @throws RemoteEngineError */
  #read(data: EventData): ServerStep | null {
    const { origin, vocabularySize, listed, onComputed } = this.#request;
    const shape = { vocabularySize, listed };
    const cut = cutList(data, shape);
    const event = parsed(cut?.rest ?? dataText(data), origin);
    if (isRecord(event) && event.error !== undefined) throw streamFailedError(origin, event.error);
    const computed = parseTokensToCompute(event);
    if (computed !== null) {
      if (!this.#hasComputed) onComputed(computed);
      this.#hasComputed = true;
      return null;
    }
    // A server leaves out tokens that are parts of a character, until the character is whole.
    if (isLastEvent(event)) {
      this.#isOver = true;
      this.#hasSkipped = (parseStreamLength(event) ?? this.#given) > this.#given;
      return null;
    }
    const isGap = parsePredictedTokenCount(event) !== this.#given + 1;
    if (isGap || hasNoProbabilities(event)) {
      this.#isOver = true;
      this.#hasSkipped = true;
      this.close();
      return null;
    }
    const step = parseStep(event, shape, cut?.list);
    this.#given += 1;
    this.#last = step.token;
    return step;
  }
}

/** The field of the last event; within a string its quotes would be escaped. */
const endField = /"stop_type"\s*:/;

function isLastEvent(event: unknown): boolean {
  return isRecord(event) && event.stop_type !== undefined;
}

function parsed(data: string, origin: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw streamNotJsonError(origin, cause);
  }
}

/** Faults of a stream after which single steps may still work. */
export function isBrokenStream(error: unknown): boolean {
  return error instanceof RemoteEngineError && (error.fault === "broken" || error.fault === "unreachable");
}
