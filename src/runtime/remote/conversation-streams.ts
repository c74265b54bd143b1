/**
 * The streams of one conversation. A server's stream is a draft: as long as the loop takes its tokens, each step is read from the
 * stream; where the loop wants another token, the stream is closed, and single steps or a new stream follow.
 */
import type { TokenId } from "../../core/sdk/request.ts";
import type { ConversationOnReplicas } from "./conversation.ts";
import type { TextStart } from "./growing-text.ts";
import type { ServerStep } from "./parse-responses.ts";
import type { ReplicaSlot } from "./replica.ts";
import { isBrokenStream, type StepStream } from "./step-stream.ts";
import { StreamPolicy } from "./stream-guess.ts";

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

/** @param most tokens of the stream, at most */
export type OpenStream = (request: StepRequest, place: ReplicaSlot, most: number) => StepStream;

/**
 * Whether steps are read from streams. `lost`: a stream broke; the next single step tells whether its server is gone (`on` again,
 * at another server) or holds streams back (`off`).
 */
type Streaming = "on" | "lost" | "off";

export class ConversationStreams {
  readonly #conversation: ConversationOnReplicas;
  readonly #open: OpenStream;
  #policy = new StreamPolicy();
  #streaming: Streaming;
  #stream: StepStream | null = null;
  #hasSkipped = false;
  /** The token with which the server would have gone on after the last single step. */
  guess: TokenId | null = null;

  /** @param isOn false: each step is a request of its own */
  constructor(conversation: ConversationOnReplicas, isOn: boolean, open: OpenStream) {
    this.#conversation = conversation;
    this.#open = open;
    this.#streaming = isOn ? "on" : "off";
  }

  /** The stream of the last step ended with a token that the server did not tell. */
  get hasSkipped(): boolean {
    return this.#hasSkipped;
  }

  /**
   * The step from the open stream or from a new one; null if it has to be asked for by `single`.
   * @param mayOpen whether a new stream may begin, asked after the open one has ended
   * @throws ModelDeadError, or the signal's reason
   */
  async next(request: StepRequest, mayOpen: () => boolean = () => true): Promise<ServerStep | null> {
    const { text, tokens, listed, ahead, signal } = request;
    this.#hasSkipped = false;
    const stream = this.#stream;
    if (stream?.listed === listed && stream.goesOnAfter(text.length - tokens.length, tokens)) {
      const step = await this.#from(stream, request);
      if (step) return step;
    } else if (stream) this.cut();
    else this.#policy.noteStep(tokens.length === 1 && tokens[0] === this.guess);
    const isStreamed = this.#streaming === "on" && ahead > 0 && this.#policy.isWorthwhile;
    if (!isStreamed || !mayOpen()) return null;
    const place = await this.#conversation.enter(text.tokens(), signal);
    const opened = this.#open(request, place, Math.min(ahead + 1, this.#policy.length));
    this.#stream = opened;
    return this.#from(opened, request);
  }

  /** Asks for a step where no stream gave one. */
  async single(ask: () => Promise<ServerStep>): Promise<ServerStep> {
    const before = this.#conversation.place?.replica;
    const step = await ask();
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

  /** Closes a stream whose next token nobody wants. */
  cut(): void {
    if (this.#stream && !this.#stream.isWhole) {
      this.#conversation.noteCut();
      this.#policy.noteCut(this.#stream.given);
    }
    this.rest();
  }

  /** The server guesses the next tokens in another way from now on: streams of the earlier guesses tell nothing about the new ones. */
  guessAnew(): void {
    this.cut();
    this.#policy = new StreamPolicy();
  }

  /** Closes the stream, which is no fault of its guesses. */
  rest(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  /** The stream's next step; null if the step has to be asked for. */
  async #from(stream: StepStream, { text, signal }: StepRequest): Promise<ServerStep | null> {
    try {
      const step = await stream.next(signal);
      if (step && stream.given > 1) this.#conversation.note(1, text);
      if (step) return step;
    } catch (error) {
      this.rest();
      signal?.throwIfAborted();
      this.#afterBrokenStream(error, text);
      return null;
    }
    this.#hasSkipped = stream.hasSkipped;
    if (stream.isWhole) this.#policy.noteWhole();
    else this.#policy.noteCut(stream.given);
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
}
