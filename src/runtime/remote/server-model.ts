/** A `LanguageModel` on a llama.cpp server, which gives the log-probabilities of the next token: by a request for each pass, or a stream. */

import type { LanguageModel } from "../../core/decoder/ports/language-model.ts";
import { type ListedLogits, longerListLength } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { checkForwardCall } from "../engine/base/check-call.ts";
import { Mutex } from "../engine/base/mutex.ts";
import { GrowingText, type TextStart } from "./growing-text.ts";
import { createListedLogits } from "./listed-row.ts";
import type { LlamaServerDescription, ServerStep } from "./parse-responses.ts";
import type { Replicas } from "./replicas.ts";
import { ServerSteps } from "./server-steps.ts";
import { forcedTokenBias } from "./step-body.ts";

export interface LlamaServerModelOptions {
  readonly server: Pick<LlamaServerDescription, "vocabularySize" | "contextLength">;
  readonly endOfSequence: readonly TokenId[];
  /** How many of the most likely tokens each step lists; all unless given. */
  readonly listedTokens?: number | undefined;
  /** False: each step is a request of its own. */
  readonly stream?: boolean | undefined;
  /** See `RemoteAccess`. */
  readonly serverDraws?: boolean | "always" | undefined;
  /** Tokens that end inside a character. */
  readonly partTokens?: (() => readonly TokenId[]) | undefined;
  /** Called with a sentence when the server computes the whole text at each step, or when a stream ended early. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** More rows are not worth a request each: the last one alone is given. */
const mostRows = 8;

/** A call of `forward` or `forwardListed`. */
interface Pass {
  readonly tokens: readonly TokenId[];
  readonly rows: number;
  readonly listed: number;
  readonly ahead: number;
  readonly signal: AbortSignal | undefined;
}

/** The text before a row, and the token after it that the caller gave. */
interface RowPlace {
  readonly text: TextStart;
  readonly next: TokenId | undefined;
}

export class LlamaServerModel implements LanguageModel {
  readonly vocabularySize: number;
  readonly capacity: number;
  /** A prompt is one request: a stop closes the connection. */
  readonly promptPassTokens: number;
  readonly returnsLogprobs = true;
  readonly hasCostlyRows = true;
  readonly listedTokens: number | undefined;
  readonly mostListed: number | undefined;
  readonly drawAhead?: NonNullable<LanguageModel["drawAhead"]>;
  readonly takeServerDraw?: NonNullable<LanguageModel["takeServerDraw"]>;
  readonly noteServerDraw?: NonNullable<LanguageModel["noteServerDraw"]>;
  readonly forwardListed?: NonNullable<LanguageModel["forwardListed"]>;
  readonly endOfSequence: readonly TokenId[];
  readonly #steps: ServerSteps;
  readonly #serverDraws: boolean;
  readonly #mutex = new Mutex();
  readonly #text = new GrowingText();

  constructor(replicas: Replicas, options: LlamaServerModelOptions) {
    const {
      server,
      endOfSequence,
      listedTokens,
      stream = true,
      serverDraws = true,
      partTokens,
      onNotice = () => {},
    } = options;
    this.#serverDraws = serverDraws !== false;
    this.vocabularySize = server.vocabularySize;
    // The server needs a place for the token that it makes.
    this.capacity = server.contextLength - 1;
    this.promptPassTokens = this.capacity;
    this.endOfSequence = endOfSequence;
    this.#steps = new ServerSteps(replicas, {
      vocabularySize: server.vocabularySize,
      endToken: endOfSequence[0],
      stream,
      onNotice,
      partTokens,
    });
    if (serverDraws !== false) {
      this.drawAhead = (drawing, isSeedRandom) =>
        this.#steps.drawAhead(isSeedRandom || serverDraws === "always" ? drawing : null);
      this.takeServerDraw = () => this.#steps.takeDraw(this.length);
      this.noteServerDraw = (isTaken) => this.#steps.noteDraw(isTaken);
    }
    if (listedTokens === undefined || listedTokens >= server.vocabularySize) return;
    this.listedTokens = listedTokens;
    this.mostListed = Math.min(server.vocabularySize, Math.max(longerListLength, listedTokens));
    this.forwardListed = (tokens, rows, count, signal, ahead = 0) => {
      const listed = Math.min(count, server.vocabularySize);
      return this.#forwardListed({ tokens, rows, listed, ahead, signal });
    };
  }

  get length(): number {
    return this.#text.length;
  }

  /** The server gives no probabilities of the tokens of a prompt: each row is a request of its own. */
  async forward(
    tokens: readonly TokenId[],
    rows = 1,
    signal?: AbortSignal,
    ahead = 0,
  ): Promise<Float32Array> {
    const { vocabularySize, listedTokens } = this;
    if (listedTokens !== undefined)
      throw new Error(
        `forward() needs the logits of all tokens, but the server lists only ${listedTokens} tokens for each step.`,
      );
    const pass = { tokens, rows, listed: vocabularySize, ahead, signal };
    const steps = await this.#pass(pass, ({ text, next }) =>
      next === undefined
        ? this.#steps.after({ ...pass, text })
        : this.#steps.single({ text: text.tokens(), listed: vocabularySize }, signal),
    );
    const logits = new Float32Array(steps.length * vocabularySize);
    for (const [row, step] of steps.entries()) {
      const own = logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      for (const [place, token] of step.tokens.entries()) own[token] = step.logprobs[place] as number;
    }
    return logits;
  }

  #forwardListed(pass: Pass): Promise<readonly ListedLogits[]> {
    const { listed, signal } = pass;
    const { vocabularySize } = this;
    const serverDraws = this.#serverDraws;
    const ask = this.#steps.asking(signal);
    return this.#pass(pass, async ({ text, next }) => {
      const about = { text, vocabularySize, nextLogprob: null, serverDraws };
      if (next === undefined) {
        const step = await this.#steps.after({ ...pass, text });
        return createListedLogits(step, { ...about, drawn: this.#steps.drawn }, ask);
      }
      // The server tells the log-probability of the token that it makes, listed or not: it is made to make the next one.
      const step = await ask.step({ text: text.tokens(), listed, bias: forcedTokenBias(next) });
      return createListedLogits(
        step,
        { ...about, nextLogprob: await this.#logprobOf(next, step, text, signal) },
        ask,
      );
    });
  }

  async #logprobOf(
    token: TokenId,
    step: ServerStep,
    text: TextStart,
    signal: AbortSignal | undefined,
  ): Promise<number | null> {
    if (step.token === token) return step.logprob;
    // The token is part of a character: the server was made to choose another one.
    const { vocabularySize } = this;
    const about = { text, vocabularySize, nextLogprob: null, serverDraws: this.#serverDraws };
    const row = createListedLogits(step, about, this.#steps.asking(signal));
    const [logprob] = Array.from(await row.logprobsOf([token]));
    return logprob ?? null;
  }

  /** Sends nothing: the next request has the whole text. */
  async append(tokens: readonly TokenId[]): Promise<void> {
    await this.#mutex.run(async () => {
      this.#steps.checkAlive();
      checkForwardCall(this, tokens, 1);
      this.#text.append(tokens);
    });
  }

  truncate(length: number): void {
    this.#steps.checkAlive();
    if (!Number.isInteger(length) || length < 0 || length > this.length)
      throw new RangeError(`truncate(${length}): the context has ${this.length} tokens.`);
    if (length === this.length) return;
    this.#text.truncate(length);
    this.#steps.truncate(length);
  }

  rest(): void {
    this.#steps.rest();
  }

  async dispose(): Promise<void> {
    this.#steps.dispose(this.#text.upTo(this.length).tokens());
  }

  /** Appends tokens, with a request for each row that is wanted. */
  #pass<Row>({ tokens, rows }: Pass, rowAt: (place: RowPlace) => Promise<Row>): Promise<Row[]> {
    return this.#mutex.run(async () => {
      this.#steps.checkAlive();
      checkForwardCall(this, tokens, rows);
      const before = this.length;
      const count = rows > mostRows ? 1 : rows;
      this.#text.append(tokens);
      const end = this.length;
      try {
        const given: Row[] = [];
        for (let length = end - count + 1; length <= end; length++)
          given.push(await rowAt({ text: this.#text.upTo(length), next: tokens[length - before] }));
        return given;
      } catch (error) {
        this.#text.truncate(before);
        throw error;
      }
    });
  }
}
