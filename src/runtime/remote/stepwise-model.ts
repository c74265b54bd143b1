/** A `LanguageModel` on a server that is asked for one token at a time: the dialect says how. llama.cpp has one of its own, with streams. */

import { untilAborted } from "../../core/base/abort.ts";
import { type LanguageModel, ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import { type ListedLogits, longerList } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { checkCall } from "../engine/base/check-call.ts";
import { Mutex } from "../engine/base/mutex.ts";
import type { EngineDialect, ListAnswer, Question } from "./dialect.ts";
import { leastLogprob } from "./parse-answers.ts";
import { PrefixWatch } from "./prefix-watch.ts";
import type { Place } from "./replica.ts";
import type { Replicas } from "./replicas.ts";

export interface StepwiseOptions {
  readonly dialect: EngineDialect;
  /** Tokens that the context of a conversation holds. */
  readonly contextLength: number;
  readonly endOfSequence: readonly TokenId[];
  /** How many of the most likely tokens each step lists. */
  readonly listedTokens: number;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** More rows are not worth a request each: the last one alone is given. */
const mostRows = 8;
/** Bytes of an answer beside its listed tokens, and for each of them. */
const bytesOfAnswer = 1_000_000;
const bytesOfEntry = 600;

export class StepwiseModel implements LanguageModel {
  readonly vocabularySize: number;
  readonly capacity: number;
  readonly promptPassTokens: number;
  readonly givesLogprobs = true;
  readonly hasCostlyRows = true;
  readonly listedTokens: number;
  readonly mostListed: number;
  readonly endOfSequence: readonly TokenId[];
  readonly #dialect: EngineDialect;
  readonly #replicas: Replicas;
  readonly #watch: PrefixWatch;
  readonly #mutex = new Mutex();
  #text: TokenId[] = [];
  /** Tokens of the text that the server has read. */
  #read = 0;
  /** Null before the first question. */
  #place: Place | null = null;
  #dead: ModelDeadError | null = null;

  constructor(replicas: Replicas, options: StepwiseOptions) {
    const { dialect, contextLength, endOfSequence, listedTokens, onNotice = () => {} } = options;
    this.#dialect = dialect;
    this.#replicas = replicas;
    this.vocabularySize = dialect.vocabularySize;
    // The server needs a place for the token that it makes.
    this.capacity = contextLength - 1;
    this.promptPassTokens = this.capacity;
    this.endOfSequence = endOfSequence;
    this.listedTokens = listedTokens;
    this.mostListed = Math.min(dialect.mostListed, Math.max(longerList, listedTokens));
    this.#watch = new PrefixWatch(onNotice);
  }

  get length(): number {
    return this.#text.length;
  }

  async forward(): Promise<Float32Array> {
    throw new Error(`forward() was called, and the model lists ${this.listedTokens} tokens of each row.`);
  }

  /** The server gives no probabilities of the tokens of a prompt: each row is a request of its own. */
  forwardListed(
    tokens: readonly TokenId[],
    rows: number,
    listed: number,
    signal?: AbortSignal,
  ): Promise<readonly ListedLogits[]> {
    return this.#mutex.run(async () => {
      this.#checkAlive();
      checkCall(this, tokens, rows);
      const text = [...this.#text, ...tokens];
      const count = rows > mostRows ? 1 : rows;
      const given: ListedLogits[] = [];
      for (let end = text.length - count + 1; end <= text.length; end++)
        given.push(await this.#row(text.slice(0, end), { listed, next: text[end], signal }));
      this.#text = text;
      return given;
    });
  }

  /** Sends nothing: the next request has the whole text. */
  async append(tokens: readonly TokenId[]): Promise<void> {
    await this.#mutex.run(async () => {
      this.#checkAlive();
      checkCall(this, tokens, 1);
      this.#text.push(...tokens);
    });
  }

  truncate(length: number): void {
    this.#checkAlive();
    if (!Number.isInteger(length) || length < 0 || length > this.length)
      throw new RangeError(`truncate(${length}): the context has ${this.length} tokens.`);
    this.#text.length = length;
    this.#read = Math.min(this.#read, length);
  }

  async dispose(): Promise<void> {
    this.#dead ??= new ModelDeadError("The model was disposed of.");
    this.#place?.replica.leave(this.#place, this.#text.slice(0, this.#read));
    this.#place = null;
  }

  async #row(
    text: readonly TokenId[],
    about: { listed: number; next?: TokenId | undefined; signal: AbortSignal | undefined },
  ): Promise<ListedLogits> {
    const { next, signal } = about;
    const count = Math.min(about.listed, this.mostListed);
    const question = { type: "list" as const, text, count, token: next };
    const answer = await this.#ask(question, (given) => this.#dialect.readList(given, question), signal);
    this.#note(answer, text.length);
    const { tokens, logprobs, ofToken } = answer;
    return {
      vocabularySize: this.vocabularySize,
      tokens,
      logprobs,
      nextLogprob: ofToken,
      list: (longer) => this.#row(text, { ...about, listed: longer }),
      logprobsOf: (wanted) => this.#logprobsOf(text, wanted, signal),
      drawOutside: (banned, temperature, seed) => {
        const draw = { type: "draw" as const, text, banned, temperature, seed };
        return this.#ask(draw, (given) => this.#dialect.readDrawn(given, draw), signal);
      },
    };
  }

  async #logprobsOf(
    text: readonly TokenId[],
    wanted: readonly TokenId[],
    signal: AbortSignal | undefined,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    const { mostNamed } = this.#dialect;
    for (let from = 0; from < wanted.length; from += mostNamed) {
      const question = { type: "name" as const, text, tokens: wanted.slice(from, from + mostNamed) };
      const some = await this.#ask(question, (given) => this.#dialect.readNamed(given, question), signal);
      for (const logprob of some) found.push(Math.max(leastLogprob, logprob));
    }
    return found;
  }

  #note({ computed }: ListAnswer, length: number): void {
    this.#replicas.meter.step(computed, length - this.#read);
    const isLost = this.#watch.note(computed, length - this.#read);
    if (isLost && this.#place) this.#place = this.#place.replica.otherSlot(this.#place, this.#text);
    this.#read = length;
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  async #ask<Answer>(
    question: Question,
    read: (answer: unknown) => Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    this.#checkAlive();
    try {
      this.#place ??= await this.#enter(question.text, signal);
      return read(await this.#send(question, this.#place, signal));
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#place) this.#replicas.noteFailure(this.#place, error);
      const message = error instanceof Error ? error.message : String(error);
      this.#dead = new ModelDeadError(message, { cause: error });
      throw this.#dead;
    }
  }

  /** Sends the question again to another server, if there is one, after a server that failed. */
  async #send(question: Question, place: Place, signal: AbortSignal | undefined): Promise<unknown> {
    const entries = question.type === "draw" ? 1 : this.mostListed;
    try {
      return await place.replica.connection.post(
        this.#dialect.path,
        this.#dialect.body(question, place.slot),
        { signal, maxBytes: bytesOfAnswer + bytesOfEntry * entries },
      );
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

  #checkAlive(): void {
    if (this.#dead) throw this.#dead;
  }
}
