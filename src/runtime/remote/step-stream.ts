/** A stream of steps: the server continues with its own most likely tokens, and sends the top-k list of each step as it is computed. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { type EngineName, serverOf } from "./engine-name.ts";
import { dataText, type EventData } from "./event-stream.ts";
import type { ServerStep } from "./parse-responses.ts";
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
  /** Tokens that each step lists. */
  readonly listed: number;
  /** Steps that were asked for. */
  readonly count: number;
  /** Tokens of the text after which the stream begins. */
  readonly textLength: number;
}

/** The content of an event. */
export interface StreamEvent {
  readonly steps: readonly ServerStep[];
  /** No steps follow. `"skipped"`: the server made a token after the last step without telling which. */
  readonly end?: "over" | "skipped" | undefined;
}

/** Reads the events of one stream, in their order. */
export interface StreamReader {
  /** @throws RemoteEngineError for an event that is not understood, or that tells an error of the server */
  read(data: EventData): StreamEvent;
  /** Whether a server that has sent all steps may still send this event. */
  isEnd(data: EventData): boolean;
}

type Send = (onEvent: (data: EventData) => void, signal: AbortSignal) => Promise<void>;

export class StepStream {
  readonly listed: number;
  readonly #request: StreamRequest;
  readonly #reader: StreamReader;
  readonly #connection = new AbortController();
  readonly #events: EventData[] = [];
  /** Steps that were read and not given yet. */
  readonly #steps: ServerStep[] = [];
  #given = 0;
  #last: TokenId | null = null;
  #isOver = false;
  #hasSkipped = false;
  /** Set when the connection has ended, with the error that ended it. */
  #ended: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;
  /** The signal of the request, which wakes a waiting `next`. */
  #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#wake?.();

  constructor(request: StreamRequest, reader: StreamReader, send: Send) {
    this.#request = request;
    this.#reader = reader;
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
    while (!this.isWhole) {
      const step = this.#steps.shift();
      if (step) return this.#give(step);
      if (this.#isOver) return null;
      const event = this.#events.shift();
      if (event === undefined) await this.#more(signal);
      else this.#take(this.#reader.read(event));
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

  #give(step: ServerStep): ServerStep {
    this.#given += 1;
    this.#last = step.token;
    return step;
  }

  #take({ steps, end }: StreamEvent): void {
    for (const step of steps) this.#steps.push(step);
    if (end === undefined) return;
    this.#isOver = true;
    this.#hasSkipped = end === "skipped";
  }

  /** A server that goes on after the tokens that were asked for is cut off. */
  #hearEnd(data: EventData): void {
    if (!this.#reader.isEnd(data)) this.#abort();
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
}

/** Who sent a stream, for messages. */
export interface StreamSender {
  readonly origin: string;
  readonly program: EngineName;
}

/** The JSON of an event, or of the part of it that is not read otherwise. @throws RemoteEngineError, also if the server tells an error */
export function parseStreamEvent(data: EventData | string, { origin, program }: StreamSender): unknown {
  const event = parsed(typeof data === "string" ? data : dataText(data), origin, program);
  if (isRecord(event) && event.error !== undefined) throw streamFailedError(origin, event.error);
  return event;
}

function parsed(text: string, origin: string, program: EngineName): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw streamNotJsonError(origin, serverOf[program], cause);
  }
}

/** Faults of a stream after which single steps may still work. */
export function isBrokenStream(error: unknown): boolean {
  return error instanceof RemoteEngineError && (error.fault === "broken" || error.fault === "unreachable");
}
