/** A `LanguageModel` on vLLM or SGLang: the dialect says how single steps and streams are asked for. llama.cpp has one of its own. */

import type { LanguageModel } from "../../core/decoder/ports/language-model.ts";
import { type ListedLogits, longerListLength } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { checkForwardCall } from "../engine/base/check-call.ts";
import { Mutex } from "../engine/base/mutex.ts";
import { ConversationOnReplicas } from "./conversation.ts";
import { ConversationStreams, type StepRequest } from "./conversation-streams.ts";
import type { EngineDialect, EngineQuestion, TopKAnswer } from "./dialect.ts";
import { GrowingText, type TextStart } from "./growing-text.ts";
import { leastLogprob } from "./parse-responses.ts";
import type { ReplicaSlot } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import { StepStream } from "./step-stream.ts";

export interface StepwiseOptions {
  readonly dialect: EngineDialect;
  /** Tokens that the context of a conversation holds. */
  readonly contextLength: number;
  readonly endOfSequence: readonly TokenId[];
  /** How many of the most likely tokens each step lists. */
  readonly listedTokens: number;
  /** False: each step is a request of its own. */
  readonly stream?: boolean | undefined;
  /** See `RemoteAccess`. */
  readonly serverDraws?: boolean | "always" | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** More rows are not worth a request each: the last one alone is given. */
const mostRows = 8;
/** Steps whose lists an event of a stream repeats, at most. */
const mostRepeated = 16;
/** Bytes of a response without its listed tokens, and bytes for each listed token. */
const bytesOfResponse = 1_000_000;
const bytesOfEntry = 600;

/** A row that is a request of its own. */
interface AskedRow {
  readonly listed: number;
  /** The token that follows in the text. */
  readonly next?: TokenId | undefined;
  readonly signal: AbortSignal | undefined;
}

export class StepwiseModel implements LanguageModel {
  readonly vocabularySize: number;
  readonly capacity: number;
  readonly promptPassTokens: number;
  readonly returnsLogprobs = true;
  readonly hasCostlyRows = true;
  readonly listedTokens: number;
  readonly mostListed: number;
  readonly endOfSequence: readonly TokenId[];
  readonly #dialect: EngineDialect;
  readonly #serverDraws: boolean;
  readonly #conversation: ConversationOnReplicas;
  readonly #streams: ConversationStreams;
  readonly #mutex = new Mutex();
  readonly #text = new GrowingText();

  constructor(replicas: Replicas, options: StepwiseOptions) {
    const {
      dialect,
      contextLength,
      endOfSequence,
      listedTokens,
      stream = true,
      serverDraws = true,
      onNotice = () => {},
    } = options;
    this.#dialect = dialect;
    this.#serverDraws = serverDraws !== false;
    this.vocabularySize = dialect.vocabularySize;
    // The server needs a place for the token that it makes.
    this.capacity = contextLength - 1;
    this.promptPassTokens = this.capacity;
    this.endOfSequence = endOfSequence;
    this.listedTokens = listedTokens;
    this.mostListed = Math.min(dialect.mostListed, Math.max(longerListLength, listedTokens));
    this.#conversation = new ConversationOnReplicas(replicas, onNotice, dialect.cache);
    const isStreamed = stream && dialect.mostStreamed > 0;
    this.#streams = new ConversationStreams(this.#conversation, isStreamed, (...asked) =>
      this.#open(...asked),
    );
  }

  get length(): number {
    return this.#text.length;
  }

  async forward(): Promise<Float32Array> {
    throw new Error(
      `forward() needs the logits of all tokens, but the server lists only ${this.listedTokens} tokens for each step.`,
    );
  }

  /** The server gives no probabilities of the tokens of a prompt, so each row costs a request of its own. */
  forwardListed(
    tokens: readonly TokenId[],
    rows: number,
    listed: number,
    signal?: AbortSignal,
    ahead = 0,
  ): Promise<readonly ListedLogits[]> {
    return this.#mutex.run(async () => {
      this.#conversation.checkAlive();
      checkForwardCall(this, tokens, rows);
      const before = this.length;
      const count = rows > mostRows ? 1 : rows;
      this.#text.append(tokens);
      const end = this.length;
      try {
        const given: ListedLogits[] = [];
        for (let length = end - count + 1; length < end; length++)
          given.push(
            await this.#row(this.#text.upTo(length), { listed, next: tokens[length - before], signal }),
          );
        given.push(await this.#lastRow(this.#text.upTo(end), { tokens, listed, ahead, signal }));
        return given;
      } catch (error) {
        this.#text.truncate(before);
        throw error;
      }
    });
  }

  /** Sends nothing: the next request has the whole text. */
  async append(tokens: readonly TokenId[]): Promise<void> {
    await this.#mutex.run(async () => {
      this.#conversation.checkAlive();
      checkForwardCall(this, tokens, 1);
      this.#text.append(tokens);
    });
  }

  truncate(length: number): void {
    this.#conversation.checkAlive();
    if (!Number.isInteger(length) || length < 0 || length > this.length)
      throw new RangeError(`truncate(${length}): the context has ${this.length} tokens.`);
    if (length === this.length) return;
    this.#text.truncate(length);
    this.#conversation.truncate(length);
    this.#streams.cut();
  }

  rest(): void {
    this.#streams.rest();
  }

  async dispose(): Promise<void> {
    this.#streams.rest();
    this.#conversation.dispose(this.#text.upTo(this.length).tokens());
  }

  /** The row after the whole text: from a stream, or by a request of its own. */
  async #lastRow(text: TextStart, request: Omit<StepRequest, "text">): Promise<ListedLogits> {
    const { signal } = request;
    const listed = Math.min(request.listed, this.mostListed);
    const streamed = await this.#streams.next({ ...request, text, listed });
    const step = streamed ?? (await this.#streams.single(() => this.#step(text, { count: listed, signal })));
    // SGLang draws the token of a single step; a stream begins with the most likely one.
    this.#streams.guess = step.tokens[0] ?? null;
    return this.#rowOf({ ...step, ofToken: null }, text, { signal });
  }

  async #row(text: TextStart, about: AskedRow): Promise<ListedLogits> {
    const { next, signal } = about;
    const count = Math.min(about.listed, this.mostListed);
    return this.#rowOf(await this.#step(text, { count, next, signal }), text, about);
  }

  async #step(
    text: TextStart,
    { count, next, signal }: { count: number; next?: TokenId | undefined; signal: AbortSignal | undefined },
  ): Promise<TopKAnswer> {
    const question = { type: "list" as const, text: text.tokens(), count, token: next };
    const answer = await this.#ask(question, (given) => this.#dialect.readList(given, question), signal);
    this.#conversation.note(answer.computed, text);
    return answer;
  }

  #open({ text, listed }: StepRequest, { replica, slot }: ReplicaSlot, most: number): StepStream {
    const { path, mostStreamed } = this.#dialect;
    const { connection } = replica;
    const { origin } = connection;
    const count = Math.min(most, mostStreamed);
    const body = this.#dialect.streamBody({ text: text.tokens(), listed, count }, slot);
    const onComputed = (computed: number | null): void => this.#conversation.note(computed, text);
    // Each event may repeat the lists of those before.
    const maxBytes = bytesOfResponse + bytesOfEntry * listed * count * Math.min(count, mostRepeated);
    return new StepStream(
      { origin, listed, count, textLength: text.length },
      this.#dialect.createStreamReader({ listed, origin, onComputed }),
      (onEvent, signal) => connection.stream(path, body, { signal, maxBytes, onEvent }),
    );
  }

  #rowOf(
    { tokens, logprobs, ofToken }: Pick<TopKAnswer, "tokens" | "logprobs" | "ofToken">,
    text: TextStart,
    about: Omit<AskedRow, "listed">,
  ): ListedLogits {
    const { signal } = about;
    return {
      vocabularySize: this.vocabularySize,
      tokens,
      logprobs,
      nextLogprob: ofToken,
      mostListed: this.mostListed,
      serverDraws: this.#serverDraws,
      list: (longer) => this.#row(text, { ...about, listed: longer }),
      logprobsOf: (wanted) => this.#logprobsOf(text, wanted, signal),
      drawOutside: (banned, temperature, seed) => {
        const draw = { type: "draw" as const, text: text.tokens(), banned, temperature, seed };
        return this.#ask(draw, (given) => this.#dialect.readDrawn(given, draw), signal);
      },
    };
  }

  async #logprobsOf(
    text: TextStart,
    wanted: readonly TokenId[],
    signal: AbortSignal | undefined,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    const { mostNamed } = this.#dialect;
    for (let from = 0; from < wanted.length; from += mostNamed) {
      const tokens = wanted.slice(from, from + mostNamed);
      const question = { type: "name" as const, text: text.tokens(), tokens };
      const some = await this.#ask(question, (given) => this.#dialect.readNamed(given, question), signal);
      for (const logprob of some) found.push(Math.max(leastLogprob, logprob));
    }
    return found;
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  #ask<Answer>(
    question: EngineQuestion,
    read: (answer: unknown) => Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const entries = question.type === "draw" ? 1 : this.mostListed;
    const maxBytes = bytesOfResponse + bytesOfEntry * entries;
    const { path } = this.#dialect;
    const send = async ({ replica, slot }: ReplicaSlot): Promise<unknown> =>
      replica.connection.post(path, this.#dialect.body(question, slot), { signal, maxBytes });
    return this.#conversation.ask({ text: question.text, send, read, signal });
  }
}
