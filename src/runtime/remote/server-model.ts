/** A `LanguageModel` on a llama.cpp server: each pass is one request, which asks for the log-probabilities of the next token. */

import { untilAborted } from "../../core/base/abort.ts";
import { type LanguageModel, ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import { type ListedLogits, longerList } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { checkCall } from "../engine/base/check-call.ts";
import { Mutex } from "../engine/base/mutex.ts";
import { type AskAfter, listedRow } from "./listed-row.ts";
import { parseStep, type ServerModel, type Step } from "./parse-answers.ts";
import { PrefixWatch } from "./prefix-watch.ts";
import type { Place } from "./replica.ts";
import type { Replicas } from "./replicas.ts";
import { namedTokenBody, type StepQuestion, stepBody } from "./step-body.ts";

export interface RemoteModelOptions {
  readonly server: Pick<ServerModel, "vocabularySize" | "contextLength">;
  readonly endOfSequence: readonly TokenId[];
  /** How many of the most likely tokens each step lists; all unless given. */
  readonly listedTokens?: number | undefined;
  /** Called with a sentence when the server computes the whole text at each step. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** More rows are not worth a request each: the last one alone is given. */
const mostRows = 8;

/** Bytes of an answer beside its listed tokens, and for each of them. */
const bytesOfAnswer = 1_000_000;
const bytesOfEntry = 600;

/** A request's question about a text. */
interface Pass {
  readonly tokens: readonly TokenId[];
  readonly rows: number;
  readonly signal?: AbortSignal | undefined;
}

export class RemoteModel implements LanguageModel {
  readonly vocabularySize: number;
  readonly capacity: number;
  /** A prompt is one request: a stop closes the connection. */
  readonly promptPassTokens: number;
  readonly givesLogprobs = true;
  readonly listedTokens: number | undefined;
  readonly mostListed: number | undefined;
  readonly forwardListed?: NonNullable<LanguageModel["forwardListed"]>;
  readonly endOfSequence: readonly TokenId[];
  readonly #replicas: Replicas;
  readonly #watch: PrefixWatch;
  readonly #mutex = new Mutex();
  #text: TokenId[] = [];
  /** Tokens of the text that the server has read. */
  #read = 0;
  /** Null before the first question. */
  #place: Place | null = null;
  #dead: ModelDeadError | null = null;

  constructor(replicas: Replicas, options: RemoteModelOptions) {
    const { server, endOfSequence, listedTokens, onNotice } = options;
    this.#replicas = replicas;
    this.vocabularySize = server.vocabularySize;
    // The server needs a place for the token that it makes.
    this.capacity = server.contextLength - 1;
    this.promptPassTokens = this.capacity;
    this.endOfSequence = endOfSequence;
    this.#watch = new PrefixWatch(onNotice ?? (() => {}));
    if (listedTokens === undefined || listedTokens >= server.vocabularySize) return;
    this.listedTokens = listedTokens;
    this.mostListed = Math.min(server.vocabularySize, Math.max(longerList, listedTokens));
    this.forwardListed = (tokens, rows, listed, signal) =>
      this.#forwardListed({ tokens, rows, signal }, Math.min(listed, server.vocabularySize));
  }

  get length(): number {
    return this.#text.length;
  }

  /** The server gives no probabilities of the tokens of a prompt: each row is a request of its own. */
  async forward(tokens: readonly TokenId[], rows = 1, signal?: AbortSignal): Promise<Float32Array> {
    const { vocabularySize, listedTokens } = this;
    if (listedTokens !== undefined)
      throw new Error(`forward() was called, and the model lists ${listedTokens} tokens of each row.`);
    const steps = await this.#pass({ tokens, rows, signal }, (text) =>
      this.#ask({ text, listed: vocabularySize }, signal),
    );
    const logits = new Float32Array(steps.length * vocabularySize);
    for (const [row, step] of steps.entries()) {
      const own = logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      for (const [place, token] of step.tokens.entries()) own[token] = step.logprobs[place] as number;
    }
    return logits;
  }

  #forwardListed(pass: Pass, listed: number): Promise<readonly ListedLogits[]> {
    const ask: AskAfter = (question, read) => this.#asked(question, pass.signal, read);
    return this.#pass(pass, async (text, next) => {
      // The server tells the log-probability of the token that it makes, listed or not: it is made to make the next one.
      const step = await this.#ask(
        { text, listed, bias: next === undefined ? [] : namedTokenBody(next) },
        pass.signal,
      );
      const nextLogprob = step.token === next ? step.logprob : null;
      return listedRow(step, { text, vocabularySize: this.vocabularySize, nextLogprob }, ask);
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

  /** Appends tokens, with a request for each row that is wanted. `next`: the token after the text that is asked about. */
  #pass<Row>(
    { tokens, rows }: Pass,
    rowAfter: (text: readonly TokenId[], next: TokenId | undefined) => Promise<Row>,
  ): Promise<Row[]> {
    return this.#mutex.run(async () => {
      this.#checkAlive();
      checkCall(this, tokens, rows);
      const text = [...this.#text, ...tokens];
      const count = rows > mostRows ? 1 : rows;
      const given: Row[] = [];
      for (let end = text.length - count + 1; end <= text.length; end++)
        given.push(await rowAfter(text.slice(0, end), text[end]));
      this.#text = text;
      return given;
    });
  }

  #ask(question: StepQuestion, signal: AbortSignal | undefined): Promise<Step> {
    const { vocabularySize } = this;
    const { text, listed } = question;
    return this.#asked(question, signal, (answer) => {
      const step = parseStep(answer, { vocabularySize, listed });
      const isLost = this.#watch.note(step.computed, text.length - this.#read);
      if (isLost && this.#place) this.#place = this.#place.replica.otherSlot(this.#place, text);
      this.#read = text.length;
      return step;
    });
  }

  /** Asks the server and reads its answer. After a failure other than a stop the model is dead. */
  async #asked<Answer>(
    question: StepQuestion,
    signal: AbortSignal | undefined,
    read: (answer: unknown) => Answer,
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

  #checkAlive(): void {
    if (this.#dead) throw this.#dead;
  }
}
