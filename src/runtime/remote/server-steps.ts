/** Steps of one conversation on a llama.cpp server: single requests, or a stream that is read as long as the loop takes its tokens. */

import { untilAborted } from "../../core/base/abort.ts";
import { ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { AskServer } from "./listed-row.ts";
import { hasNoProbabilities, parseStep, type Step } from "./parse-answers.ts";
import { PrefixWatch } from "./prefix-watch.ts";
import type { Place } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import { namedTokenBody, type StepQuestion, stepBody, streamBody } from "./step-body.ts";
import { isBrokenStream, StepStream } from "./step-stream.ts";
import { StreamGuess } from "./stream-guess.ts";

export interface ServerStepsOptions {
  readonly vocabularySize: number;
  /** A token without text, which a server can be made to choose. */
  readonly endToken: TokenId | undefined;
  /** False: each step is a request of its own. */
  readonly stream: boolean;
  readonly onNotice: (notice: string) => void;
}

/** The step after a text. */
export interface StepAfter {
  readonly text: readonly TokenId[];
  /** How many tokens at the end of the text are new since the last call. */
  readonly added: number;
  readonly listed: number;
  /** Tokens that may be asked for afterwards, at most. */
  readonly ahead: number;
  readonly signal: AbortSignal | undefined;
}

/** Bytes of an answer beside its listed tokens, and for each of them. */
const bytesOfAnswer = 1_000_000;
const bytesOfEntry = 600;

export class ServerSteps {
  readonly #replicas: Replicas;
  readonly #options: ServerStepsOptions;
  readonly #watch: PrefixWatch;
  readonly #guess = new StreamGuess();
  #stream: StepStream | null = null;
  #mayStream: boolean;
  /** A stream broke, and nobody has been told. */
  #hasLostStream = false;
  /** The token that the server made in the last single step. */
  #made: TokenId | null = null;
  /** Tokens of the text that the server has read. */
  #read = 0;
  /** The server and slot of the conversation; null before the first question. */
  #place: Place | null = null;
  /** A token whose text is whole characters. */
  #wholeToken: TokenId | undefined;
  #dead: ModelDeadError | null = null;

  constructor(replicas: Replicas, options: ServerStepsOptions) {
    this.#replicas = replicas;
    this.#options = options;
    this.#mayStream = options.stream;
    this.#wholeToken = options.endToken;
    this.#watch = new PrefixWatch(options.onNotice);
  }

  checkAlive(): void {
    if (this.#dead) throw this.#dead;
  }

  /** The text has this length now. */
  truncate(length: number): void {
    this.#read = Math.min(this.#read, length);
    this.#cut();
  }

  /** Closes the stream, which is no fault of its guesses. */
  rest(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  /** @param text the text of the conversation */
  dispose(text: readonly TokenId[]): void {
    this.rest();
    this.#dead ??= new ModelDeadError("The model was disposed of.");
    this.#place?.replica.leave(this.#place, text.slice(0, this.#read));
    this.#place = null;
  }

  /** @throws ModelDeadError, or the signal's reason */
  async after(about: StepAfter): Promise<Step> {
    this.checkAlive();
    const { text, added, listed, ahead } = about;
    const tokens = text.slice(-added);
    const stream = this.#stream;
    if (stream?.listed === listed && stream.goesOnAfter(text.length - added, tokens)) {
      const step = await this.#fromStream(stream, about);
      if (step) return step;
    } else if (stream) this.#cut();
    else this.#guess.noteStep(added === 1 && tokens[0] === this.#made);
    // The first step is a request of its own, which finds the conversation's place.
    const isStreamed = this.#mayStream && !this.#hasLostStream && ahead > 0 && this.#guess.isWorthwhile;
    const place = isStreamed ? this.#place : null;
    const opened = place && (await this.#fromStream(this.#open(about, place), about));
    return opened ?? this.#afterStream(about);
  }

  /** A single step, where no stream gave one. */
  async #afterStream({ text, listed, signal }: StepAfter): Promise<Step> {
    const before = this.#place?.replica;
    const step = await this.single({ text, listed }, signal);
    if (!this.#hasLostStream) return step;
    this.#hasLostStream = false;
    // If the server itself failed, another one answered, and its streams may be read.
    this.#mayStream = this.#place?.replica !== before;
    if (!this.#mayStream && before)
      this.#options.onNotice(
        `A stream of ${before.connection.origin} ended early. From now on each step is a request of its own.`,
      );
    return step;
  }

  /** A step that is a request of its own. @throws ModelDeadError, or the signal's reason */
  async single(question: StepQuestion, signal: AbortSignal | undefined): Promise<Step> {
    const { vocabularySize } = this.#options;
    const { text, listed } = question;
    const read = (answer: unknown): Step => {
      const step = parseStep(answer, { vocabularySize, listed });
      this.#note(step.computed, text);
      this.#made = step.token;
      this.#wholeToken = step.token;
      return step;
    };
    const whole = this.#wholeToken;
    if (whole === undefined) return this.#ask(question, read, signal);
    const step = await this.#ask(
      question,
      (answer) => (hasNoProbabilities(answer) ? null : read(answer)),
      signal,
    );
    // The token is part of a character. The list is that of the model whatever token the server is made to choose.
    return step ?? this.#ask({ ...question, bias: namedTokenBody(whole) }, read, signal);
  }

  /** For further questions about a step. */
  asking(signal: AbortSignal | undefined): AskServer {
    return {
      step: (question) => this.single(question, signal),
      answer: (question, read) => this.#ask(question, read, signal),
    };
  }

  #note(computed: number | null, text: readonly TokenId[]): void {
    const unread = text.length - this.#read;
    this.#replicas.meter.step(computed, unread);
    const isLost = this.#watch.note(computed, unread);
    if (isLost && this.#place) this.#place = this.#place.replica.otherSlot(this.#place, text);
    this.#read = text.length;
  }

  #open({ text, listed, ahead }: StepAfter, { replica: { connection }, slot }: Place): StepStream {
    const count = Math.min(ahead + 1, this.#guess.length);
    const { vocabularySize } = this.#options;
    const { origin } = connection;
    const onComputed = (computed: number): void => this.#note(computed, text);
    const request = { origin, vocabularySize, listed, count, textLength: text.length, onComputed };
    const body = streamBody({ text, listed }, count, slot);
    this.#stream = new StepStream(request, (onEvent, signal) =>
      connection.stream("/completion", body, {
        signal,
        maxBytes: bytesOfAnswer + bytesOfEntry * listed * count,
        onEvent,
      }),
    );
    return this.#stream;
  }

  /** The stream's next step; null if the step has to be asked for. */
  async #fromStream(stream: StepStream, { text, signal }: StepAfter): Promise<Step | null> {
    try {
      const step = await stream.next(signal);
      if (step && stream.given > 1) this.#note(1, text);
      if (step) return step;
    } catch (error) {
      this.rest();
      signal?.throwIfAborted();
      if (!isBrokenStream(error)) throw this.#die(error);
      // If the server is gone, the single step tells.
      this.#hasLostStream = true;
      return null;
    }
    if (stream.isWhole) this.#guess.noteWhole();
    else this.#guess.noteCut(stream.given);
    this.rest();
    return null;
  }

  #cut(): void {
    if (this.#stream && !this.#stream.isWhole) {
      this.#replicas.meter.cut();
      this.#guess.noteCut(this.#stream.given);
    }
    this.rest();
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  async #ask<Answer>(
    question: StepQuestion,
    read: (answer: unknown) => Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    this.checkAlive();
    // A slot does one thing at a time.
    this.#cut();
    try {
      this.#place ??= await this.#enter(question.text, signal);
      return read(await this.#send(question, this.#place, signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#die(error);
    }
  }

  /** Sends the question again to another server, if there is one, after a server that failed. */
  async #send(question: StepQuestion, place: Place, signal: AbortSignal | undefined): Promise<unknown> {
    try {
      return await place.replica.connection.post("/completion", stepBody(question, place.slot), {
        signal,
        maxBytes: bytesOfAnswer + bytesOfEntry * question.listed,
      });
    } catch (error) {
      signal?.throwIfAborted();
      const next = this.#replicas.moveOn(place, error, question.text);
      if (next === null) throw error;
      this.#place = next;
      this.#read = 0;
      return this.#send(question, next, signal);
    }
  }

  /** A stop does not wait for the check of a server. */
  async #enter(text: readonly TokenId[], signal: AbortSignal | undefined): Promise<Place> {
    const entering = this.#replicas.enter(text);
    if (!signal) return entering;
    try {
      return await untilAborted(entering, signal);
    } catch (error) {
      void entering.then(
        (place) => place.replica.leave(place, []),
        () => undefined,
      );
      throw error;
    }
  }

  #die(error: unknown): ModelDeadError {
    if (this.#place) this.#replicas.noteFailure(this.#place, error);
    const message = error instanceof Error ? error.message : String(error);
    this.#dead = new ModelDeadError(message, { cause: error });
    return this.#dead;
  }
}
