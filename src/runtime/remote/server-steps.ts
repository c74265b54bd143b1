/** Steps of one conversation on a llama.cpp server: single requests, or a stream that is read as long as the loop takes its tokens. */

import { randomBits } from "../../core/base/random.ts";
import type { ServerDraw, ServerDrawing } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { ConversationOnReplicas } from "./conversation.ts";
import { fixedText, type TextStart } from "./growing-text.ts";
import type { StepQueries } from "./listed-row.ts";
import { hasNoProbabilities, parseStep, parseToken, type ServerStep } from "./parse-responses.ts";
import type { ReplicaSlot } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import {
  forcedTokenBias,
  type StepQuestion,
  stepRequestBody,
  streamRequestBody,
  type TokenBias,
} from "./step-body.ts";
import { isBrokenStream, StepStream } from "./step-stream.ts";
import { StreamPolicy } from "./stream-guess.ts";

export interface ServerStepsOptions {
  readonly vocabularySize: number;
  /** A token without text, which a server can be made to choose. */
  readonly endToken: TokenId | undefined;
  /** False: each step is a request of its own. */
  readonly stream: boolean;
  readonly onNotice: (notice: string) => void;
  /** Tokens that end inside a character, after which the server tells nothing until the character is whole. */
  readonly partTokens?: (() => readonly TokenId[]) | undefined;
}

/** A request for the logits of the step after a text. */
export interface StepRequest {
  readonly text: TextStart;
  /** The tokens at the end of the text that are new since the last call. */
  readonly tokens: readonly TokenId[];
  readonly listed: number;
  /** Tokens that may be asked for afterwards, at most. */
  readonly ahead: number;
  readonly signal: AbortSignal | undefined;
}

/** Tokens that are raised by this much leave the others no chance. */
const raise = 100;
/** Bytes of a response without its listed tokens, and bytes for each listed token. */
const bytesOfResponse = 1_000_000;
const bytesOfEntry = 600;

/**
 * Whether steps are read from streams. `lost`: a stream broke; the next single step tells whether its server is gone (`on` again,
 * at another server) or holds streams back (`off`).
 */
type Streaming = "on" | "lost" | "off";

/** Tokens that the server made in single steps. */
interface MadeTokens {
  /** In the last step. */
  last: TokenId | null;
  /** A token that is not a part of a character. */
  whole: TokenId | undefined;
}

export class ServerSteps {
  readonly #options: ServerStepsOptions;
  readonly #conversation: ConversationOnReplicas;
  readonly #guess = new StreamPolicy();
  readonly #made: MadeTokens;
  #streaming: Streaming;
  #stream: StepStream | null = null;
  /** See `LanguageModel.drawAhead`. */
  drawing: ServerDrawing | null = null;
  /** Requests in which the server drew tokens. */
  #drawings = 0;
  #drawn: ServerDraw | null = null;
  /** Tokens of the text after which it was drawn. */
  #drawnAfter = 0;
  /** The stream of the last step ended with a token that the server did not tell. */
  #hasSkipped = false;

  constructor(replicas: Replicas, options: ServerStepsOptions) {
    this.#options = options;
    this.#conversation = new ConversationOnReplicas(replicas, options.onNotice);
    this.#made = { last: null, whole: options.endToken };
    this.#streaming = options.stream ? "on" : "off";
  }

  checkAlive(): void {
    this.#conversation.checkAlive();
  }

  /** The text has this length now. */
  truncate(length: number): void {
    this.#drawn = null;
    this.#conversation.truncate(length);
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
    this.#conversation.dispose(text);
  }

  /** See `LanguageModel.takeServerDraw`. @param length tokens of the text */
  takeDraw(length: number): ServerDraw | null {
    const drawn = this.#drawnAfter === length ? this.#drawn : null;
    this.#drawn = null;
    return drawn;
  }

  /** The token that the server drew after the text, which a row notes. */
  get drawn(): ServerDraw | null {
    return this.#drawn;
  }

  /** The step after a text: from the open stream, from a new stream, or by a request of its own. @throws ModelDeadError, or the signal's reason */
  async after(about: StepRequest): Promise<ServerStep> {
    this.checkAlive();
    const { text, tokens, listed, ahead } = about;
    this.#drawn = null;
    this.#drawnAfter = text.length;
    this.#hasSkipped = false;
    const stream = this.#stream;
    if (stream?.listed === listed && stream.goesOnAfter(text.length - tokens.length, tokens)) {
      const step = await this.#fromStream(stream, about);
      if (step) return step;
    } else if (stream) this.#cut();
    else this.#guess.noteStep(tokens.length === 1 && tokens[0] === this.#made.last);
    const isStreamed = this.#streaming === "on" && ahead > 0 && this.#guess.isWorthwhile;
    if (!isStreamed || (this.drawing && this.#hasSkipped)) return this.#afterStream(about);
    const place = await this.#conversation.enter(text.tokens(), about.signal);
    const opened = await this.#fromStream(this.#open(about, place), about);
    return opened ?? this.#afterStream(about);
  }

  /** A single step, where no stream gave one. */
  async #afterStream(request: StepRequest): Promise<ServerStep> {
    const before = this.#conversation.place?.replica;
    const { text, listed, signal } = request;
    const step = this.drawing
      ? await this.#drawnStep(request, this.drawing)
      : await this.single({ text: text.tokens(), listed }, signal);
    if (this.#streaming !== "lost") return step;
    // If the server itself failed, another one answered, and its streams may be read.
    const isSameServer = this.#conversation.place?.replica === before;
    this.#streaming = isSameServer ? "off" : "on";
    if (isSameServer && before)
      this.#conversation.notify(
        "stream",
        `A stream from ${before.connection.origin} ended early. From now on, each step is a separate request, which may be slower.`,
      );
    return step;
  }

  /**
   * A single step at which the server draws the token. A stream that skipped a token has drawn one that is part of a character: the
   * server then draws among such tokens alone, since among all of them each would have its chance twice, and these only once of both.
   */
  async #drawnStep({ text, listed, signal }: StepRequest, settings: ServerDrawing): Promise<ServerStep> {
    const { vocabularySize, partTokens = () => [] } = this.#options;
    const parts = this.#hasSkipped ? partTokens() : [];
    const tokens = text.tokens();
    if (this.#hasSkipped && parts.length === 0) return this.single({ text: tokens, listed }, signal);
    this.#hasSkipped = false;
    const bias = parts.map((token): TokenBias => [token, raise]);
    const question = { text: tokens, listed, bias, drawing: this.#nextDrawing(settings) };
    const { token, step } = await this.#ask(
      question,
      (answer) => ({
        token: parseToken(answer, vocabularySize),
        step: hasNoProbabilities(answer) ? null : parseStep(answer, { vocabularySize, listed }),
      }),
      signal,
    );
    if (step) this.#conversation.note(step.computed, text);
    const shown = step ?? (await this.single({ text: tokens, listed }, signal));
    this.#made.last = token;
    this.#drawn = { token, logprob: shown.token === token ? shown.logprob : null };
    return shown;
  }

  /** Each request draws with other random numbers. 2^32 - 1 would mean a seed that the server chooses. */
  #nextDrawing(settings: ServerDrawing): ServerDrawing {
    const seed = randomBits(settings.seed, this.#drawings++) % 0xffff_ffff;
    return { ...settings, seed };
  }

  /** A step that is a request of its own. @throws ModelDeadError, or the signal's reason */
  async single(question: StepQuestion, signal: AbortSignal | undefined): Promise<ServerStep> {
    const { vocabularySize } = this.#options;
    const { text, listed } = question;
    const read = (answer: unknown): ServerStep => {
      const step = parseStep(answer, { vocabularySize, listed });
      this.#conversation.note(step.computed, fixedText(text));
      this.#made.last = step.token;
      this.#made.whole = step.token;
      return step;
    };
    const { whole } = this.#made;
    if (whole === undefined) return this.#ask(question, read, signal);
    const step = await this.#ask(
      question,
      (answer) => (hasNoProbabilities(answer) ? null : read(answer)),
      signal,
    );
    // The token is part of a character. The list is that of the model whatever token the server is made to choose.
    return step ?? this.#ask({ ...question, bias: forcedTokenBias(whole) }, read, signal);
  }

  /** For further questions about a step. */
  asking(signal: AbortSignal | undefined): StepQueries {
    return {
      step: (question) => this.single(question, signal),
      answer: (question, read) => this.#ask(question, read, signal),
    };
  }

  #open({ text, listed, ahead }: StepRequest, { replica: { connection }, slot }: ReplicaSlot): StepStream {
    const count = Math.min(ahead + 1, this.#guess.length);
    const { vocabularySize } = this.#options;
    const { origin } = connection;
    const onComputed = (computed: number): void => this.#conversation.note(computed, text);
    const request = { origin, vocabularySize, listed, count, textLength: text.length, onComputed };
    const drawing = this.drawing && this.#nextDrawing(this.drawing);
    const body = streamRequestBody({ text: text.tokens(), listed, drawing }, count, slot);
    this.#stream = new StepStream(request, (onEvent, signal) =>
      connection.stream("/completion", body, {
        signal,
        maxBytes: bytesOfResponse + bytesOfEntry * listed * count,
        onEvent,
      }),
    );
    return this.#stream;
  }

  /** The stream's next step; null if the step has to be asked for. */
  async #fromStream(stream: StepStream, { text, signal }: StepRequest): Promise<ServerStep | null> {
    try {
      const step = await stream.next(signal);
      if (step && stream.given > 1) this.#conversation.note(1, text);
      if (step && this.drawing) this.#drawn = { token: step.token, logprob: step.logprob };
      if (step) return step;
    } catch (error) {
      this.rest();
      signal?.throwIfAborted();
      this.#afterBrokenStream(error, text);
      return null;
    }
    this.#hasSkipped = stream.hasSkipped;
    if (stream.isWhole) this.#guess.noteWhole();
    else this.#guess.noteCut(stream.given);
    this.rest();
    return null;
  }

  /** @throws ModelDeadError if single steps cannot go on */
  #afterBrokenStream(error: unknown, text: TextStart): void {
    if (isBrokenStream(error)) {
      // If the server is gone, the single step tells.
      this.#streaming = "lost";
      return;
    }
    if (!this.#conversation.moveOn(error, text.tokens())) throw this.#conversation.die(error);
  }

  #cut(): void {
    if (this.#stream && !this.#stream.isWhole) {
      this.#conversation.noteCut();
      this.#guess.noteCut(this.#stream.given);
    }
    this.rest();
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  #ask<Answer>(
    question: StepQuestion,
    read: (answer: unknown) => Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    // A slot does one thing at a time.
    this.#cut();
    const maxBytes = bytesOfResponse + bytesOfEntry * question.listed;
    const send = ({ replica, slot }: ReplicaSlot): Promise<unknown> =>
      replica.connection.post("/completion", stepRequestBody(question, slot), { signal, maxBytes });
    return this.#conversation.ask({ text: question.text, send, read, signal });
  }
}
