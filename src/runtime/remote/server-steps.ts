/** Steps of one conversation on a llama.cpp server: single requests, or a stream that is read as long as the loop takes its tokens. */

import { randomBits } from "../../core/base/random.ts";
import type { ServerDraw, ServerDrawing } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { ConversationOnReplicas } from "./conversation.ts";
import { ConversationStreams, type StepRequest } from "./conversation-streams.ts";
import { DrawingTurns } from "./drawing-turns.ts";
import { fixedText } from "./growing-text.ts";
import { type ParsedResponse, parseListResponse } from "./listed-entries.ts";
import type { StepQueries } from "./listed-row.ts";
import { LlamaStreamReader } from "./llama-stream-reader.ts";
import {
  hasNoProbabilities,
  type ListedTokens,
  parseStep,
  parseToken,
  type ServerStep,
} from "./parse-responses.ts";
import type { ReplicaSlot } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import {
  forcedTokenBias,
  type StepQuestion,
  stepRequestBody,
  streamRequestBody,
  type TokenBias,
} from "./step-body.ts";
import { StepStream } from "./step-stream.ts";

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

/** @param list the list of the answer, if it was cut out of the answer */
type ReadAnswer<Answer> = (answer: unknown, list: ListedTokens | null) => Answer;

/** Tokens that are raised by this much leave the others no chance. */
const raise = 100;
/** Bytes of a response without its listed tokens, and bytes for each listed token. */
const bytesOfResponse = 1_000_000;
const bytesOfEntry = 600;

export class ServerSteps {
  readonly #options: ServerStepsOptions;
  readonly #conversation: ConversationOnReplicas;
  readonly #streams: ConversationStreams;
  /** A token that the server made in a single step, and that is not a part of a character. */
  #wholeToken: TokenId | undefined;
  #turns = new DrawingTurns(null);
  /** Requests in which the server drew tokens. */
  #drawings = 0;
  #drawn: ServerDraw | null = null;
  /** Tokens of the text after which it was drawn. */
  #drawnAfter = 0;

  constructor(replicas: Replicas, options: ServerStepsOptions) {
    this.#options = options;
    this.#conversation = new ConversationOnReplicas(replicas, options.onNotice);
    this.#wholeToken = options.endToken;
    this.#streams = new ConversationStreams(this.#conversation, options.stream, (...asked) =>
      this.#open(...asked),
    );
  }

  checkAlive(): void {
    this.#conversation.checkAlive();
  }

  /** The text has this length now. */
  truncate(length: number): void {
    this.#drawn = null;
    this.#conversation.truncate(length);
    this.#streams.cut();
  }

  /** Closes the stream, which is no fault of its guesses. */
  rest(): void {
    this.#streams.rest();
  }

  /** @param text the text of the conversation */
  dispose(text: readonly TokenId[]): void {
    this.rest();
    this.#conversation.dispose(text);
  }

  /** See `LanguageModel.drawAhead`. */
  drawAhead(drawing: ServerDrawing | null): void {
    this.#turns = new DrawingTurns(drawing);
  }

  /** See `LanguageModel.noteServerDraw`. */
  noteDraw(isTaken: boolean): void {
    const before = this.#drawing;
    this.#turns.note(isTaken);
    if (this.#drawing === before) return;
    if (before) this.#streams.cut();
    else this.#streams.guessAnew();
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
  async after(request: StepRequest): Promise<ServerStep> {
    this.checkAlive();
    this.#drawn = null;
    this.#drawnAfter = request.text.length;
    const step = await this.#streams.next(request, () => !(this.#drawing && this.#streams.hasSkipped));
    if (step && this.#drawing) this.#drawn = { token: step.token, logprob: step.logprob };
    return step ?? this.#streams.single(() => this.#single(request));
  }

  /** A single step, where no stream gave one. */
  #single(request: StepRequest): Promise<ServerStep> {
    const { text, listed, signal } = request;
    if (this.#drawing) return this.#drawnStep(request, this.#drawing);
    return this.single({ text: text.tokens(), listed }, signal);
  }

  /**
   * A single step at which the server draws the token. A stream that skipped a token has drawn one that is part of a character: the
   * server then draws among such tokens alone, since among all of them each would have its chance twice, and these only once of both.
   */
  async #drawnStep({ text, listed, signal }: StepRequest, settings: ServerDrawing): Promise<ServerStep> {
    const { vocabularySize, partTokens = () => [] } = this.#options;
    const { hasSkipped } = this.#streams;
    const parts = hasSkipped ? partTokens() : [];
    const tokens = text.tokens();
    if (hasSkipped && parts.length === 0) return this.single({ text: tokens, listed }, signal);
    const bias = parts.map((token): TokenBias => [token, raise]);
    const question = { text: tokens, listed, bias, drawing: this.#nextDrawing(settings) };
    const { token, step } = await this.#ask(
      question,
      (answer, list) => ({
        token: parseToken(answer, vocabularySize),
        step: hasNoProbabilities(answer) ? null : parseStep(answer, { vocabularySize, listed }, list),
      }),
      signal,
    );
    if (step) this.#conversation.note(step.computed, text);
    const shown = step ?? (await this.single({ text: tokens, listed }, signal));
    this.#streams.guess = token;
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
    const read: ReadAnswer<ServerStep> = (answer, list) => {
      const step = parseStep(answer, { vocabularySize, listed }, list);
      this.#conversation.note(step.computed, fixedText(text));
      this.#streams.guess = step.token;
      this.#wholeToken = step.token;
      return step;
    };
    const whole = this.#wholeToken;
    if (whole === undefined) return this.#ask(question, read, signal);
    const step = await this.#ask(
      question,
      (answer, list) => (hasNoProbabilities(answer) ? null : read(answer, list)),
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

  get #drawing(): ServerDrawing | null {
    return this.#turns.drawing;
  }

  #open({ text, listed }: StepRequest, { replica, slot }: ReplicaSlot, count: number): StepStream {
    const { vocabularySize } = this.#options;
    const { connection } = replica;
    const { origin } = connection;
    const onComputed = (computed: number): void => this.#conversation.note(computed, text);
    const drawing = this.#drawing && this.#nextDrawing(this.#drawing);
    const body = streamRequestBody({ text: text.tokens(), listed, drawing }, count, slot);
    return new StepStream(
      { origin, listed, count, textLength: text.length },
      new LlamaStreamReader({ origin, vocabularySize, listed, onComputed }),
      (onEvent, signal) =>
        connection.stream("/completion", body, {
          signal,
          maxBytes: bytesOfResponse + bytesOfEntry * listed * count,
          onEvent,
        }),
    );
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  #ask<Answer>(
    question: StepQuestion,
    read: ReadAnswer<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    // A slot does one thing at a time.
    this.#streams.cut();
    const { text, listed } = question;
    const { vocabularySize } = this.#options;
    const maxBytes = bytesOfResponse + bytesOfEntry * listed;
    const parse = (answer: string): ParsedResponse => parseListResponse(answer, { vocabularySize, listed });
    return this.#conversation.ask({
      text,
      send: ({ replica, slot }) =>
        replica.connection.post("/completion", stepRequestBody(question, slot), { signal, maxBytes, parse }),
      read: (parsed) => {
        const { response, list } = parsed as ParsedResponse;
        return read(response, list);
      },
      signal,
    });
  }
}
