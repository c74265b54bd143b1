/** A `LanguageModel` on a server that is asked for one token at a time: the dialect says how. llama.cpp has one of its own, with streams. */

import type { LanguageModel } from "../../core/decoder/ports/language-model.ts";
import { type ListedLogits, longerListLength } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { checkForwardCall } from "../engine/base/check-call.ts";
import { Mutex } from "../engine/base/mutex.ts";
import { ConversationOnReplicas } from "./conversation.ts";
import type { EngineDialect, EngineQuestion } from "./dialect.ts";
import { fixedText } from "./growing-text.ts";
import { leastLogprob } from "./parse-responses.ts";
import type { ReplicaSlot } from "./replica.ts";
import type { Replicas } from "./replicas.ts";

export interface StepwiseOptions {
  readonly dialect: EngineDialect;
  /** Tokens that the context of a conversation holds. */
  readonly contextLength: number;
  readonly endOfSequence: readonly TokenId[];
  /** How many of the most likely tokens each step lists. */
  readonly listedTokens: number;
  /** See `RemoteAccess`. */
  readonly serverDraws?: boolean | "always" | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** More rows are not worth a request each: the last one alone is given. */
const mostRows = 8;
/** Bytes of a response without its listed tokens, and bytes for each listed token. */
const bytesOfResponse = 1_000_000;
const bytesOfEntry = 600;

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
  readonly #mutex = new Mutex();
  #text: TokenId[] = [];

  constructor(replicas: Replicas, options: StepwiseOptions) {
    const {
      dialect,
      contextLength,
      endOfSequence,
      listedTokens,
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
  ): Promise<readonly ListedLogits[]> {
    return this.#mutex.run(async () => {
      this.#conversation.checkAlive();
      checkForwardCall(this, tokens, rows);
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
      this.#conversation.checkAlive();
      checkForwardCall(this, tokens, 1);
      this.#text.push(...tokens);
    });
  }

  truncate(length: number): void {
    this.#conversation.checkAlive();
    if (!Number.isInteger(length) || length < 0 || length > this.length)
      throw new RangeError(`truncate(${length}): the context has ${this.length} tokens.`);
    this.#text.length = length;
    this.#conversation.truncate(length);
  }

  async dispose(): Promise<void> {
    this.#conversation.dispose(this.#text);
  }

  async #row(
    text: readonly TokenId[],
    about: { listed: number; next?: TokenId | undefined; signal: AbortSignal | undefined },
  ): Promise<ListedLogits> {
    const { next, signal } = about;
    const count = Math.min(about.listed, this.mostListed);
    const question = { type: "list" as const, text, count, token: next };
    const answer = await this.#ask(question, (given) => this.#dialect.readList(given, question), signal);
    this.#conversation.note(answer.computed, fixedText(text));
    const { tokens, logprobs, ofToken } = answer;
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
